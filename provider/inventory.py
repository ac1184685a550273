"""Everything of a cluster that may be taken over: what an import writes down."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final, Literal, TypeAlias, TypeVar

from . import acls, groups, quotas, topics, users
from .outcomes import Failure, FailureKind, Outcome

if TYPE_CHECKING:
    from collections.abc import Mapping

    from .acls import Acl
    from .cluster import Cluster
    from .quotas import Entity
    from .settings import Owned
    from .topic_plan import LiveTopic

T = TypeVar("T")
Part: TypeAlias = Literal["groups", "access", "users", "quotas"]
# The settings of brokers that rules look at.
DEFAULTS: Final = (
    "auto.create.topics.enable",
    "min.insync.replicas",
    "offsets.topic.replication.factor",
    "transaction.state.log.replication.factor",
)


@dataclass(frozen=True, slots=True)
class FoundGroup:
    """The topics are those on which it has committed offsets."""

    topics: tuple[str, ...]
    config: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Inventory:
    """`unread` says what could not be read, and why: then the inventory is not complete."""

    brokers: Mapping[int, str | None] = field(default_factory=dict)
    controllers: int | None = None
    defaults: Mapping[str, str] = field(default_factory=dict)  # where all brokers have the same
    topics: tuple[LiveTopic, ...] = ()
    groups: Mapping[str, FoundGroup] = field(default_factory=dict)
    acls: frozenset[Acl] = frozenset()
    users: Mapping[str, Mapping[str, int]] = field(default_factory=dict)  # iterations by mechanism
    quotas: Mapping[Entity, Mapping[str, float]] = field(default_factory=dict)
    unread: tuple[str, ...] = ()


def take_inventory(cluster: Cluster, owned: Owned, without: frozenset[Part] = frozenset()) -> Inventory:
    """What is inside the ownership, but for the parts that are not wanted."""
    reading = _Reading()
    brokers = reading.value(cluster.replicas.brokers(), {})
    configs = [reading.value(each, {}) for each in cluster.survey.broker_configs(brokers).values()]
    names = reading.value(cluster.survey.topic_names(), frozenset())
    described = cluster.describe_many_topics([name for name in names if topics.is_owned(name, owned.topics)])
    found_topics = [reading.value(outcome, None) for outcome in described.values()]
    return Inventory(
        brokers=brokers,
        controllers=reading.value(cluster.survey.controllers(), None),
        defaults={
            key: configs[0][key]
            for key in DEFAULTS
            if configs and len({config.get(key) for config in configs}) == 1 and key in configs[0]
        },
        topics=tuple(topic for topic in found_topics if topic is not None),
        groups={} if "groups" in without else _groups(cluster, owned, reading),
        acls=frozenset() if "access" in without else _acls(cluster, owned, reading),
        users={} if "users" in without else _users(cluster, owned, reading),
        quotas={} if "quotas" in without else _quotas(cluster, owned, reading),
        unread=tuple(reading.failures),
    )


class _Reading:
    """Collects what could not be read, each reason once."""

    def __init__(self) -> None:
        self.failures: dict[str, None] = {}

    def value(self, outcome: Outcome[T], instead: T) -> T:
        if isinstance(outcome, Failure):
            self.failures[outcome.message] = None
            return instead
        return outcome


def _groups(cluster: Cluster, owned: Owned, reading: _Reading) -> dict[str, FoundGroup]:
    listed = reading.value(cluster.survey.group_names(), frozenset())
    names = sorted(name for name in listed if groups.why_outside(name, owned.groups) is None)
    read = reading.value(cluster.survey.topics_read(names), {})
    found: dict[str, FoundGroup] = {}
    for name, config in cluster.groups.group_configs(names).items():
        # Brokers before Kafka 4 know no config of groups.
        is_unknown = isinstance(config, Failure) and config.kind is FailureKind.REJECTED
        found[name] = FoundGroup(read.get(name, ()), {} if is_unknown else reading.value(config, {}))
    return found


def _acls(cluster: Cluster, owned: Owned, reading: _Reading) -> frozenset[Acl]:
    live = cluster.security.access.describe_acls()
    if isinstance(live, Failure) and acls.NO_AUTHORIZER in live.message:
        return frozenset()
    every: frozenset[Acl] = reading.value(live, frozenset())
    return frozenset(acl for acl in every if acls.why_outside(acl.principal, owned.principals) is None)


def _users(cluster: Cluster, owned: Owned, reading: _Reading) -> dict[str, Mapping[str, int]]:
    every = reading.value(cluster.security.users.describe_all_users(), {})
    ours = {name: seen for name, seen in every.items() if users.why_not_owned(name, owned.principals) is None}
    nothing: Mapping[str, int] = {}
    return {name: seen for name, outcome in sorted(ours.items()) if (seen := reading.value(outcome, nothing))}


def _quotas(cluster: Cluster, owned: Owned, reading: _Reading) -> dict[Entity, Mapping[str, float]]:
    every = reading.value(cluster.security.quotas.describe_quotas(), {})
    return {entity: limits for entity, limits in every.items() if quotas.why_outside(entity, owned.principals) is None}
