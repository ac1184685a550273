"""The resources that a topology asks for, in the words of the provider's schema."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

from . import desired_access

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from ..topology.model import Ownership, Topic, Topology

KindName = Literal["Topic", "Access", "User", "Quota"]


@dataclass(frozen=True, slots=True)
class Desired:
    """One resource to register. `protected` also tells the engine, so that a preview refuses."""

    kind: KindName
    name: str
    inputs: Mapping[str, object] = field(default_factory=dict)
    owner: str | None = None
    protected: bool = False
    secrets: Mapping[str, str] = field(default_factory=dict)
    """Inputs whose values are secrets of the stack's config, and their names there."""


def desired_resources(topology: Topology) -> tuple[Desired, ...]:
    return (*(_topic(topic) for topic in topology.topics.values()), *_security(topology))


def _security(topology: Topology) -> Iterator[Desired]:
    owners = desired_access.owners(topology)
    for declared in topology.users.values():
        name, inputs, principal = desired_access.user(declared)
        secrets = {"password": declared.password_secret}
        yield Desired("User", name, inputs, owners.get(principal or ""), secrets=secrets)
    for name, inputs, principal in desired_access.access(topology):
        yield Desired("Access", name, inputs, owners.get(principal or ""))
    for quota in topology.quotas:
        name, inputs, principal = desired_access.quota(quota)
        yield Desired("Quota", name, inputs, owners.get(principal or ""))


def desired_ownership(ownership: Ownership) -> dict[str, list[str]]:
    """The provider's ownership; a section that is not declared sets no limit and is left out."""
    sections = {
        "topics": ownership.topics,
        "groups": ownership.groups,
        "principals": ownership.principals,
    }
    return {name: list(prefixes) for name, prefixes in sections.items() if prefixes is not None}


def _topic(topic: Topic) -> Desired:
    inputs: dict[str, object] = {
        "name": topic.name,
        "partitions": topic.partitions,
        "replication": topic.replication,
        "deletion": topic.deletion,
    }
    if topic.config:
        inputs["config"] = dict(topic.config)
    if topic.key is not None:
        inputs["keyType"] = topic.key.type
    return Desired(
        kind="Topic",
        name=topic.name,
        inputs=inputs,
        owner=topic.owner,
        protected=topic.deletion == "protected",
    )
