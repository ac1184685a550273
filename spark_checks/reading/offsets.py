"""Fixes what is read before it is read: the first and last offset of every partition.

Spark would look the offsets up while it plans the scan, a moment nobody sees, and a check could then not be repeated.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime

from kafka_topology.cluster.attempts import patience
from kafka_topology.cluster.cluster import Cluster
from kafka_topology.cluster.connecting.settings import client_only
from kafka_topology.cluster.live.groups import Partition, Position
from kafka_topology.cluster.live.topics import TopicShape
from kafka_topology.cluster.outcomes import ClusterUnreachableError, Failure, FailureKind

from .ranges import Identity, Pinned, Range, Unreadable
from .selection import Selection, chosen

# The types that ranges are made of are asked for here as well.
__all__ = ["DEFAULT_TIMEOUT_S", "Offsets", "Pinned", "Range", "Unreadable"]

DEFAULT_TIMEOUT_S = 10.0


class Offsets:
    """Looks offsets up with one request per kind for all partitions of all topics.

    Everything raises ClusterUnreachableError when nobody answers, and for settings that no client can be made of.
    """

    def __init__(self, client: Mapping[str, str], timeout_s: float = DEFAULT_TIMEOUT_S) -> None:
        self._settings = client_only(client, timeout_s)
        Cluster(self._settings).close()  # wrong settings are known at once

    def pin(self, topics: Sequence[str], selection: Selection) -> Mapping[str, Pinned | Unreadable]:
        with self._connected() as cluster:
            shapes = self._shapes(cluster, topics)
            found = [(name, number) for name, shape in shapes.items() for number in _partitions(shape)]
            starts = self._at(cluster, "earliest", found)
            ends = self._at(cluster, "latest", found)
            since_ms = selection.since_ms
            moment = None if since_ms is None else datetime.fromtimestamp(since_ms / 1000, UTC)
            since = None if moment is None else self._at(cluster, moment, found)
            cluster_id = cluster.cluster_id
        pinned: dict[str, Pinned | Unreadable] = {}
        for topic, shape in shapes.items():
            part = shape if isinstance(shape, Unreadable) else _pinned(topic, [*shape.partitions], starts, ends)
            first = None if since is None else _of_topic(since, topic)
            if isinstance(part, Unreadable):
                pinned[topic] = part
            elif isinstance(first, Unreadable):
                pinned[topic] = first
            else:
                assert isinstance(shape, TopicShape)  # noqa: S101 - or it would be unreadable
                identity = None if selection.state is None else Identity(cluster_id, shape.topic_id)
                pinned[topic] = chosen(selection, part, first, identity)
        return pinned

    def first_kept(self, pinned: Pinned) -> Mapping[int, int]:
        """The first offset that each partition still holds, to see what was deleted meanwhile."""
        wanted = [(pinned.topic, part.partition) for part in pinned.ranges if part.offsets > 0]
        if not wanted:
            return {}
        with self._connected() as cluster:
            starts = self._at(cluster, "earliest", wanted)
        return {partition: offset for (_, partition), offset in starts.items() if not isinstance(offset, Unreadable)}

    @contextmanager
    def _connected(self) -> Iterator[Cluster]:
        cluster = Cluster(self._settings)
        try:
            cluster.connect()
            yield cluster
        finally:
            cluster.close()

    def _shapes(self, cluster: Cluster, topics: Sequence[str]) -> dict[str, TopicShape | Unreadable]:
        found: dict[str, TopicShape | Unreadable] = {}
        for topic, shape in patience(cluster.patience).each(topics, cluster.shapes_of).items():
            if not isinstance(shape, Failure):
                found[topic] = shape
            elif shape.kind in {FailureKind.MISSING, FailureKind.DENIED}:
                reason = (
                    f"topic {topic} does not exist on {self._settings.servers}, or may not be described:"
                    " apply the topology first, or check the name and the ACLs"
                )
                found[topic] = Unreadable(topic, reason)
            else:
                found[topic] = _unreadable(topic, shape, f"topic {topic} cannot be described")
        return found

    def _at(
        self, cluster: Cluster, to: Position, partitions: Sequence[Partition]
    ) -> dict[tuple[str, int], int | Unreadable]:
        answers = patience(cluster.patience).each(partitions, lambda asked: cluster.committed_offsets_at(to, asked))
        return {
            (topic, number): _unreadable(topic, answer, f"offsets of {topic}[{number}] cannot be read")
            if isinstance(answer, Failure)
            else answer
            for (topic, number), answer in answers.items()
        }


def _unreadable(topic: str, failure: Failure, what: str) -> Unreadable:
    """One topic cannot be read. When no broker answers, no topic can, and this raises."""
    if failure.kind is FailureKind.UNCERTAIN:
        raise ClusterUnreachableError(failure.message)
    return Unreadable(topic, f"{what}: {failure.message}")


def _partitions(shape: TopicShape | Unreadable) -> tuple[int, ...]:
    return () if isinstance(shape, Unreadable) else shape.partitions


def _pinned(
    topic: str,
    partitions: list[int],
    starts: Mapping[tuple[str, int], int | Unreadable],
    ends: Mapping[tuple[str, int], int | Unreadable],
) -> Pinned | Unreadable:
    ranges = []
    for partition in partitions:
        start, end = starts[topic, partition], ends[topic, partition]
        if isinstance(start, Unreadable):
            return start
        if isinstance(end, Unreadable):
            return end
        # Records deleted between the two requests may leave the start behind the end.
        ranges.append(Range(partition, min(start, end), end))
    return Pinned(topic, tuple(ranges))


def _of_topic(found: Mapping[tuple[str, int], int | Unreadable], topic: str) -> Mapping[int, int] | Unreadable:
    offsets: dict[int, int] = {}
    for (name, partition), offset in found.items():
        if name == topic:
            if isinstance(offset, Unreadable):
                return offset
            offsets[partition] = offset
    return offsets
