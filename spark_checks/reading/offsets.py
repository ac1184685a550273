"""Fixes what is read before it is read: the first and last offset of every partition.

Spark would look the offsets up while it plans the scan, a moment nobody sees, and a check could then not be repeated.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime

from kafka_topology.cluster.attempts import attempts, pause_until
from kafka_topology.cluster.cluster import Cluster
from kafka_topology.cluster.connecting.settings import client_only
from kafka_topology.cluster.live.groups import Partition, Position
from kafka_topology.cluster.live.topics import TopicShape
from kafka_topology.cluster.outcomes import ClusterUnreachableError, Failure, FailureKind, Outcome

from .hidden import Hidden, with_hidden
from .ranges import Identity, Pinned, Range, Unreadable
from .selection import Selection, chosen

# The types that ranges are made of are asked for here as well.
__all__ = ["DEFAULT_TIMEOUT_S", "Offsets", "Pinned", "Range", "TopicReplaced", "Unreadable"]

DEFAULT_TIMEOUT_S = 10.0
# Transactions of a healthy producer end within moments, and then hide nothing. Spark takes longer to start.
SETTLING_S = 5.0

_Found = dict[Partition, "int | Unreadable"]


class TopicReplaced(Exception):
    """Another topic has the name now; the message says what follows."""


class Offsets:
    """Looks offsets up with one request per kind for all partitions of all topics.

    Everything raises ClusterUnreachableError when nobody answers, and for settings that no client can be made of.
    """

    def __init__(
        self,
        client: Mapping[str, str],
        timeout_s: float = DEFAULT_TIMEOUT_S,
        clock: Callable[[], datetime] = lambda: datetime.now(UTC),
    ) -> None:
        self._settings = client_only(client, timeout_s)
        self._clock = clock
        Cluster(self._settings).close()  # wrong settings are known at once

    def pin(self, topics: Sequence[str], selection: Selection) -> Mapping[str, Pinned | Unreadable]:
        with self._connected() as cluster:
            shapes = self._shapes(cluster, topics)
            found = [(name, number) for name, shape in shapes.items() for number in _partitions(shape)]
            # The ends of the logs come first: a stable end that is smaller later on was kept back by a transaction.
            logs = self._answered(cluster, found, cluster.ends_of)
            starts = self._at(cluster, "earliest", found)
            ends = self._settled(cluster, self._at(cluster, "latest", found), logs)
            hidden = self._hidden(cluster, ends, logs)
            since_ms = selection.since_ms
            moment = None if since_ms is None else datetime.fromtimestamp(since_ms / 1000, UTC)
            since = None if moment is None else self._at(cluster, moment, found)
            cluster_id = cluster.cluster_id
        pinned: dict[str, Pinned | Unreadable] = {}
        for topic, shape in shapes.items():
            part = shape if isinstance(shape, Unreadable) else _pinned(topic, [*shape.partitions], starts, ends, logs)
            first = None if since is None else _of_topic(since, topic)
            if isinstance(part, Unreadable):
                pinned[topic] = part
            elif isinstance(first, Unreadable):
                pinned[topic] = first
            else:
                assert isinstance(shape, TopicShape)  # noqa: S101 - or it would be unreadable
                identity = Identity(cluster_id, shape.topic_id)
                selected = replace(chosen(selection, part, first, identity), identity=identity)
                pinned[topic] = with_hidden(selected, hidden.get(topic, ()))
        return pinned

    def first_kept(self, pinned: Pinned) -> Mapping[int, int]:
        """The first offset that each partition still holds, to see what was deleted meanwhile.

        Raises `TopicReplaced` if the topic is another one by now.
        """
        wanted = [(pinned.topic, part.partition) for part in pinned.ranges if part.offsets > 0]
        if not wanted:
            return {}
        with self._connected() as cluster:
            self._refuse_other(cluster, pinned)
            starts = self._at(cluster, "earliest", wanted)
        return {partition: offset for (_, partition), offset in starts.items() if not isinstance(offset, Unreadable)}

    def refuse_other(self, pinned: Pinned) -> None:
        """Raises `TopicReplaced` if the topic is not the one that was pinned any more."""
        with self._connected() as cluster:
            self._refuse_other(cluster, pinned)

    def _refuse_other(self, cluster: Cluster, pinned: Pinned) -> None:
        shape = self._shapes(cluster, [pinned.topic])[pinned.topic]
        if isinstance(shape, Unreadable):
            raise TopicReplaced(f"{pinned.topic} could not be described after it was read: {shape.reason}")
        if pinned.identity is not None and shape.topic_id != pinned.identity.topic:
            raise TopicReplaced(
                f"{pinned.topic} was deleted and created again while it was read, so records of two topics are mixed;"
                " check again"
            )

    def leaderless(self, pinned: Pinned) -> Sequence[int]:
        """The partitions that were to be read and have no leader now; none of them if nobody knows."""
        try:
            with self._connected() as cluster:
                live = cluster.describe_topics([pinned.topic]).get(pinned.topic)
        except ClusterUnreachableError:
            return ()
        if live is None or isinstance(live, Failure):
            return ()
        wanted = {part.partition for part in pinned.ranges if part.offsets > 0}
        return [number for number, placed in enumerate(live.placement) if placed.leader is None and number in wanted]

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
        for topic, shape in cluster.patient().each(topics, cluster.shapes_of).items():
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

    def _settled(self, cluster: Cluster, ends: _Found, logs: _Found) -> _Found:
        """The stable ends, asked again for a short time where transactions are open."""
        ends = dict(ends)
        pending = set(_kept_back(ends, logs))
        for _ in attempts(pending, pause_until(time.monotonic() + min(SETTLING_S, cluster.patience))):
            ends |= self._at(cluster, "latest", sorted(pending))
            pending &= set(_kept_back(ends, logs))
        return ends

    def _hidden(self, cluster: Cluster, ends: _Found, logs: _Found) -> dict[str, list[Hidden]]:
        found: dict[str, list[Hidden]] = {}
        kept_back = _kept_back(ends, logs)
        answers = cluster.open_transactions(kept_back) if kept_back else {}
        now = self._clock()
        for (topic, number), offsets in kept_back.items():
            answer = answers[topic, number]
            found.setdefault(topic, []).append(
                Hidden(offsets, now, unknown=answer.message)
                if isinstance(answer, Failure)
                else Hidden(offsets, now, answer)
            )
        return found

    def _at(self, cluster: Cluster, to: Position, partitions: Sequence[Partition]) -> _Found:
        return self._answered(cluster, partitions, lambda asked: cluster.committed_offsets_at(to, asked))

    def _answered(
        self,
        cluster: Cluster,
        partitions: Sequence[Partition],
        ask: Callable[[Collection[Partition]], Mapping[Partition, Outcome[int]]],
    ) -> _Found:
        answers = cluster.patient().each(partitions, ask)
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


def _kept_back(ends: _Found, logs: _Found) -> dict[Partition, Range]:
    """What lies between the stable end and the end of the log, where that is something."""
    return {
        (topic, number): Range(number, end, log)
        for (topic, number), end in ends.items()
        if isinstance(end, int) and isinstance(log := logs[topic, number], int) and log > end
    }


def _pinned(topic: str, partitions: list[int], starts: _Found, ends: _Found, logs: _Found) -> Pinned | Unreadable:
    ranges = []
    for partition in partitions:
        start, end, log = starts[topic, partition], ends[topic, partition], logs[topic, partition]
        if isinstance(start, Unreadable):
            return start
        if isinstance(end, Unreadable):
            return end
        if isinstance(log, Unreadable):
            return log
        # Records deleted between the two requests may leave the start behind the end.
        ranges.append(Range(partition, min(start, end), end))
    return Pinned(topic, tuple(ranges))


def _of_topic(found: _Found, topic: str) -> Mapping[int, int] | Unreadable:
    offsets: dict[int, int] = {}
    for (name, partition), offset in found.items():
        if name == topic:
            if isinstance(offset, Unreadable):
                return offset
            offsets[partition] = offset
    return offsets
