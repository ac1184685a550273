"""Reads live facts about topics and groups from a cluster. Reports what it could not read, and guesses nothing."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import TypeVar

from kafka_topology.cluster.attempts import Patience
from kafka_topology.cluster.cluster import Cluster
from kafka_topology.cluster.connecting.settings import client_only
from kafka_topology.cluster.outcomes import ClusterUnreachableError, Failure, FailureKind, Outcome
from kafka_topology.review.live import Live, LiveGroup, LivePartition, LiveTopic

from .cluster.live.groups import NOT_THERE, Partition
from .cluster.live.topics import LiveTopic as Described
from .cluster.live.topics import Placed
from .topology.kafka.internal_topics import INTERNAL_TOPICS
from .topology.model.words import escaped

Key = TypeVar("Key")
T = TypeVar("T")


def live_facts(
    client: Mapping[str, str],
    topics: Collection[str],
    groups: Collection[str],
    timeout: float,
    share_groups: Collection[str] = (),
) -> Live:
    """Placement, records and lag of these topics, groups and share groups, if they exist.

    Raises ClusterUnreachableError if no broker answers.
    """
    cluster = Cluster(client_only(client, timeout))
    try:
        cluster.connect()
        return _Facts(cluster, cluster.patient()).live(topics, groups, share_groups)
    finally:
        cluster.close()


@dataclass(frozen=True, slots=True)
class _Facts:
    cluster: Cluster
    patient: Patience
    problems: dict[str, None] = field(default_factory=dict)

    def live(self, topics: Collection[str], groups: Collection[str], share_groups: Collection[str]) -> Live:
        racks = self.patient.one(self.cluster.replicas.brokers)
        if isinstance(racks, Failure):
            raise ClusterUnreachableError(racks.message)
        asked = self.patient.each(topics, self.cluster.describe_many_topics)
        described = self._known(asked)
        unread: list[str] = []
        own = self._own_topics(unread)
        voters = self.patient.one(self.cluster.survey.voters)
        if isinstance(voters, Failure):
            unread.append(f"could not read the controllers, so by the declaration: {voters.message}")
        partitions = [(name, number) for name, topic in described.items() for number in range(topic.partitions)]
        at = self.cluster.groups.offsets_at
        ends = self._known(self.patient.each(partitions, lambda asked: at("latest", asked)))
        starts = self._known(self.patient.each(partitions, lambda asked: at("earliest", asked)))
        sizes = self._sizes(described)
        return Live(
            racks,
            {name: _with_contents(topic, starts, ends, sizes) for name, topic in (described | own).items()},
            self._groups(groups, ends) | self._share_groups(share_groups, ends),
            tuple(map(escaped, self.problems)),
            None if isinstance(voters, Failure) else voters,
            tuple(map(escaped, unread)),
            frozenset(name for name, outcome in asked.items() if _is_unread(outcome)),
        )

    def _own_topics(self, unread: list[str]) -> dict[str, Described]:
        """Kafka's own topics, if they exist already."""
        found: dict[str, Described] = {}
        names = [topic.name for topic in INTERNAL_TOPICS]
        for name, outcome in self.patient.each(names, self.cluster.describe_many_topics).items():
            if not isinstance(outcome, Failure):
                found[name] = outcome
            elif outcome.kind is not FailureKind.MISSING:
                unread.append(f"could not read {name}, so by the declaration: {outcome.message}")
        return found

    def _known(self, outcomes: Mapping[Key, Outcome[T]]) -> dict[Key, T]:
        """The answers. A missing resource is no problem; every other failure is."""
        found: dict[Key, T] = {}
        for key, outcome in outcomes.items():
            if not isinstance(outcome, Failure):
                found[key] = outcome
            elif outcome.kind is not FailureKind.MISSING:
                self.problems[outcome.message] = None
        return found

    def _sizes(self, topics: Mapping[str, Described]) -> Mapping[Partition, int]:
        """Bytes on disk; empty if the cluster does not report them. Sizes then follow from the records."""
        if not topics:
            return {}
        asked = {name: range(topic.partitions) for name, topic in topics.items()}
        found = self.patient.one(lambda: self.cluster.replicas.sizes(asked))
        return {} if isinstance(found, Failure) else found

    def _groups(self, names: Collection[str], ends: Mapping[Partition, int]) -> dict[str, LiveGroup]:
        """Live groups. A new cluster has none yet."""
        if not names or not ends:
            return {}
        groups = self.cluster.groups
        shapes = self._known(self.patient.each(names, groups.describe_groups))
        there = [name for name, shape in shapes.items() if shape.state != NOT_THERE]
        committed = self._known(
            self.patient.each(there, lambda asked: groups.committed({name: list(ends) for name in asked}))
        )
        found: dict[str, LiveGroup] = {}
        for name, offsets in committed.items():
            lag: dict[str, int] = {}
            for (topic, number), at in offsets.items():
                lag[topic] = lag.get(topic, 0) + max(0, ends[topic, number] - at.offset)
            found[name] = LiveGroup(shapes[name].state.lower(), shapes[name].members, lag)
        return found

    def _share_groups(self, names: Collection[str], ends: Mapping[Partition, int]) -> dict[str, LiveGroup]:
        """Live share groups. Kafka 4.1 counts no lag: then all records from the start offset on may be waiting."""
        if not names or not ends:
            return {}
        groups = self.cluster.share_groups
        shapes = self._known(self.patient.each(names, groups.describe_groups))
        there = [name for name, shape in shapes.items() if shape.state != NOT_THERE]
        started = self._known(self.patient.each(there, lambda asked: groups.start_offsets(dict.fromkeys(asked))))
        found: dict[str, LiveGroup] = {}
        for name, offsets in started.items():
            lag: dict[str, int] = dict.fromkeys(shapes[name].topics, 0)
            for at, offset in offsets.items():
                behind = max(0, ends.get(at, offset.start) - offset.start) if offset.lag is None else offset.lag
                lag[at[0]] = lag.get(at[0], 0) + behind
            found[name] = LiveGroup(shapes[name].state.lower(), shapes[name].members, lag)
        return found


def _is_unread(outcome: Outcome[Described]) -> bool:
    return isinstance(outcome, Failure) and outcome.kind is not FailureKind.MISSING


def _with_contents(
    topic: Described, starts: Mapping[Partition, int], ends: Mapping[Partition, int], sizes: Mapping[Partition, int]
) -> LiveTopic:
    def part(number: int, placed: Placed) -> LivePartition:
        key = topic.name, number
        records = ends[key] - starts[key] if key in starts and key in ends else None
        return LivePartition(placed.leader, placed.replicas, placed.in_sync, records, sizes.get(key))

    parts = tuple(part(number, placed) for number, placed in enumerate(topic.placement))
    return LiveTopic(parts, topic.min_in_sync)
