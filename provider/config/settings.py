"""The resolved config of a provider: how to reach the cluster, and the limits of its promises."""

from __future__ import annotations

from dataclasses import dataclass, field

from kafka_topology.cluster.connecting.settings import ClientSettings
from kafka_topology.topology.model.grants import NO_GRANTS, Grants

from .rule_choices import RuleChoices

PACKAGE = "kafka-topology"


@dataclass(frozen=True, slots=True)
class Owned:
    """Prefixes of the names that may be changed; None means no limit. `grants` lists access allowed beyond them."""

    topics: tuple[str, ...] | None = None
    groups: tuple[str, ...] | None = None
    principals: tuple[str, ...] | None = None
    grants: Grants = NO_GRANTS


@dataclass(frozen=True, slots=True)
class Settings(ClientSettings):
    """The settings of one configured provider."""

    owned: Owned = Owned()
    max_deletes: int = 10
    replication_throttle: int = 50_000_000
    removes_undeclared: bool = False  # undeclared settings go back to their defaults
    rules: RuleChoices = field(default_factory=RuleChoices)
    cluster_id: str | None = None  # the expected cluster; any other one is refused
    cluster_is_chosen: bool = False  # the program or the stack's config names it
    offline_preview: bool = False  # a preview may go on without the cluster


def why_other_cluster(settings: Settings, expected: str, actual: str) -> str:
    """The message for a connection to an unexpected cluster: names both, and says how to go on."""
    found = f"the brokers at {settings.servers} belong to cluster '{actual}'"
    if settings.cluster_is_chosen:
        return f"{found}, and clusterId is '{expected}': correct bootstrapServers, or clusterId."
    return (
        f"{found}, and this stack was applied to cluster '{expected}'. Nothing was changed. To manage both, make a "
        "stack for each. To apply this stack to the other cluster from now on, leaving the first as it is, run "
        f"'pulumi config set kafka-topology:clusterId {actual}' (or give clusterId to the provider). If the address is "
        "wrong, correct bootstrapServers."
    )
