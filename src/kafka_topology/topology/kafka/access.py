"""The access that producers, groups, share groups and streams applications need, and the rules a file adds to it.

What Kafka asks for, by request (Describe is implied by Read, Write and Delete in Kafka's own authorizer; it is granted
all the same, because not every authorizer implies it):

- Produce: Write on the topic, and with a transaction Write on the transactional id. Metadata: Describe on the topic.
- InitProducerId: Write on the transactional id; without one Write on any topic, and before Kafka 2.8 IdempotentWrite
  on the cluster. FindCoordinator: Describe on the transactional id or the group.
- AddPartitionsToTxn, EndTxn: Write on the transactional id. AddOffsetsToTxn, TxnOffsetCommit: the producer also needs
  Read on the group and on the topics whose offsets it commits.
- Fetch: Read on the topic. ListOffsets, OffsetFetch: Describe on the topic and the group.
- ShareFetch, ShareAcknowledge: Read on the group and on the topic. ShareGroupHeartbeat: Read on the group, Describe on
  the topics.
- JoinGroup, SyncGroup, Heartbeat, LeaveGroup, ConsumerGroupHeartbeat, OffsetCommit: Read on the group.
- Kafka Streams creates its repartition and changelog topics (CreateTopics: Create), writes and reads them, and purges
  what it has read (DeleteRecords: Delete). Their names, and its transactional ids, start with the application id and
  a hyphen. It asks for no configs and no group is deleted, so neither is granted.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace

from ..model.declared import ConsumerGroup, PatternType, Producer, ShareGroup, StreamsApplication, Topology
from ..model.places import Place
from .acls import CLUSTER_NAME, RESOURCES, Acl

# From here on Write on any topic is enough for an idempotent producer.
_IDEMPOTENT_WITHOUT_CLUSTER_ACCESS = (2, 8)

_RESOURCE_ORDER = tuple(RESOURCES)


@dataclass(frozen=True, slots=True)
class Reason:
    """Why access is needed, and what in the file says so. `declared`: an entry under `acls` asks for it itself."""

    text: str
    place: Place
    declared: bool = False


@dataclass(frozen=True, slots=True)
class Grant(Acl):
    """An ACL that should be there, and every reason for it. Grants of one ACL are equal, whatever their reasons."""

    reasons: tuple[Reason, ...] = field(default=(), compare=False)

    @property
    def place(self) -> Place:
        return self.reasons[0].place

    @property
    def is_derived(self) -> bool:
        """Whether a producer, a group, a share group or a streams application needs it."""
        return any(not reason.declared for reason in self.reasons)

    @property
    def sort_key(self) -> tuple[str, int, str, str, str, str, str]:
        order = _RESOURCE_ORDER.index(self.resource)
        return (self.principal, order, self.name, self.pattern, self.permission, self.host, self.operation)


def derived_acls(topology: Topology) -> tuple[Grant, ...]:
    """Everything that should be granted or denied: each item once, with all its reasons, sorted."""
    return _united((*implied_grants(topology), *declared_grants(topology)))


def implied_grants(topology: Topology) -> Iterator[Grant]:
    """What the roles with a principal need, each need by itself."""
    for producer in topology.producers.values():
        for principal in producer.principals:
            yield from _producer(producer, principal, topology)
    for group in topology.consumer_groups.values():
        for principal in group.principals:
            yield from _group(group, principal)
    for shared in topology.share_groups.values():
        for principal in shared.principals:
            yield from _share_group(shared, principal)
    for application in topology.streams.values():
        for principal in application.principals:
            yield from _streams(application, principal, topology)


def declared_grants(topology: Topology) -> Iterator[Grant]:
    for acl in topology.acls:
        for index, operation in enumerate(acl.operations):
            reason = Reason("declared under acls", acl.place("operations", index), declared=True)
            yield Grant(
                acl.principal, acl.resource, acl.name, operation, acl.pattern, acl.host, acl.permission, (reason,)
            )


def _united(grants: Iterable[Grant]) -> tuple[Grant, ...]:
    reasons: dict[Grant, dict[Reason, None]] = {}
    for grant in grants:
        reasons.setdefault(grant, {}).update(dict.fromkeys(grant.reasons))
    merged = (replace(grant, reasons=tuple(why)) for grant, why in reasons.items())
    return tuple(sorted(merged, key=lambda grant: grant.sort_key))


@dataclass(frozen=True, slots=True)
class _Role:
    """Who asks, on whose behalf, for which role in the file."""

    principal: str
    title: str

    def needs(
        self,
        resource: str,
        name: str,
        operations: dict[str, str],
        place: Place,
        pattern: PatternType = "literal",
    ) -> Iterator[Grant]:
        for operation, why in operations.items():
            reason = Reason(f"{self.title} {why}", place)
            yield Grant(self.principal, resource, name, operation, pattern, reasons=(reason,))


_WRITES = {"Write": "writes it", "Describe": "looks up its partitions"}
_READS = {"Read": "reads it and commits its offsets", "Describe": "looks up its partitions and offsets"}
_JOINS = {"Read": "joins it and commits offsets", "Describe": "finds its coordinator and committed offsets"}
_SHARES = {"Read": "reads and acknowledges its records", "Describe": "looks up its partitions"}
_JOINS_SHARE = {"Read": "joins it and acknowledges records", "Describe": "finds its coordinator"}
_TRANSACTS = {"Write": "writes in transactions", "Describe": "finds its transaction coordinator"}
_INTERNAL = {
    "Create": "creates its internal topics",
    "Delete": "purges its repartition topics",
    "Describe": "looks up its internal topics",
    "Read": "restores its state",
    "Write": "writes its changelog and repartition topics",
}


def _producer(producer: Producer, principal: str, topology: Topology) -> Iterator[Grant]:
    role = _Role(principal, f"producer {producer.name}")
    for index, topic in enumerate(producer.topics):
        yield from role.needs("topic", topic, _WRITES, producer.place("topics", index))
    if producer.delivery != "at-most-once":
        yield from _idempotent_write(role, producer.place("delivery"), topology)
    transactional_id = producer.transactional_id
    if transactional_id is None:
        return
    pattern: PatternType = "prefixed" if transactional_id.endswith("-") else "literal"
    at = producer.place("transactionalId")
    yield from role.needs("transactional-id", transactional_id, _TRANSACTS, at, pattern)
    for group in topology.consumer_groups.values():
        if group.delivery == "exactly-once" and _one_application(producer, group):
            yield from _offsets_in_transactions(role, group)


def _one_application(producer: Producer, group: ConsumerGroup) -> bool:
    """Whether the producer commits the group's offsets in its transactions: the two share a principal or a name."""
    return not set(producer.principals).isdisjoint(group.principals) or producer.name == group.name


def _offsets_in_transactions(role: _Role, group: ConsumerGroup) -> Iterator[Grant]:
    commits = {"Read": "commits its offsets in transactions", "Describe": "finds its coordinator"}
    yield from role.needs("group", group.name, commits, group.place("delivery"))
    for topic, place in _topics_of(group):
        yield from role.needs("topic", topic, {"Read": "commits its offsets in transactions"}, place)


def _idempotent_write(role: _Role, place: Place, topology: Topology) -> Iterator[Grant]:
    if _version(topology.cluster.kafka) < _IDEMPOTENT_WITHOUT_CLUSTER_ACCESS:
        why = {"IdempotentWrite": "is idempotent, which takes this before Kafka 2.8"}
        yield from role.needs("cluster", CLUSTER_NAME, why, place)


def _version(kafka: str) -> tuple[int, ...]:
    return tuple(int(part) for part in kafka.split(".")[:2])


def _group(group: ConsumerGroup, principal: str) -> Iterator[Grant]:
    role = _Role(principal, f"group {group.name}")
    for topic, place in _topics_of(group):
        yield from role.needs("topic", topic, _READS, place)
    yield from role.needs("group", group.name, _JOINS, group.place())


def _share_group(group: ShareGroup, principal: str) -> Iterator[Grant]:
    role = _Role(principal, f"share group {group.name}")
    for index, topic in enumerate(group.topics):
        yield from role.needs("topic", topic, _SHARES, group.place("topics", index))
    yield from role.needs("group", group.name, _JOINS_SHARE, group.place())


def _topics_of(group: ConsumerGroup) -> Iterator[tuple[str, Place]]:
    for index, topic in enumerate(group.topics):
        yield topic, group.place("topics", index)
    for topic in group.assign:
        yield topic, group.place("assign", topic)


def _streams(application: StreamsApplication, principal: str, topology: Topology) -> Iterator[Grant]:
    role = _Role(principal, f"streams {application.application_id}")
    own = f"{application.application_id}-"
    for index, topic in enumerate(application.reads):
        yield from role.needs("topic", topic, _READS, application.place("reads", index))
    for index, topic in enumerate(application.writes):
        yield from role.needs("topic", topic, _WRITES, application.place("writes", index))
    yield from role.needs("topic", own, _INTERNAL, application.place(), "prefixed")
    yield from role.needs("group", application.application_id, _JOINS, application.place())
    yield from _idempotent_write(role, application.place("delivery"), topology)
    if application.delivery == "exactly-once":
        yield from role.needs("transactional-id", own, _TRANSACTS, application.place("delivery"), "prefixed")
