"""Fixes what is read before it is read: the first and last offset of every partition.

This is the one module that talks to Kafka itself. Spark would look the offsets up while it plans the scan,
a moment nobody sees, and a check could then not be repeated.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from confluent_kafka import IsolationLevel, KafkaError, KafkaException, TopicPartition
from confluent_kafka.admin import AdminClient
from confluent_kafka.admin import OffsetSpec as _OffsetSpec  # type: ignore[attr-defined]

DEFAULT_TIMEOUT_S = 10.0
_SPECS: Any = _OffsetSpec  # the client has no types for its factory methods


class Unreachable(Exception):
    """The cluster did not answer: nothing could be checked."""


@dataclass(frozen=True, slots=True)
class Range:
    """Offsets of one partition, the end exclusive."""

    partition: int
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Pinned:
    """What is read of a topic: one range for each of its partitions."""

    topic: str
    ranges: tuple[Range, ...]

    @property
    def partitions(self) -> int:
        return len(self.ranges)

    @property
    def filled(self) -> tuple[Range, ...]:
        return tuple(part for part in self.ranges if part.end > part.start)

    @property
    def assign_json(self) -> str:
        return json.dumps({self.topic: [part.partition for part in self.filled]})

    @property
    def starting_json(self) -> str:
        return json.dumps({self.topic: {str(part.partition): part.start for part in self.filled}})

    @property
    def ending_json(self) -> str:
        return json.dumps({self.topic: {str(part.partition): part.end for part in self.filled}})

    def narrowed(self, ranges: Iterable[Range]) -> Pinned:
        """The same topic with fewer offsets; partitions that are left out keep an empty range."""
        kept = {part.partition: part for part in ranges}
        none = (Range(part.partition, part.start, part.start) for part in self.ranges)
        return Pinned(self.topic, tuple(kept.get(part.partition, part) for part in none))


@dataclass(frozen=True, slots=True)
class Unreadable:
    """A topic that cannot be read, and why."""

    topic: str
    reason: str


class Offsets:
    """Looks offsets up with one request per kind for all partitions of all topics."""

    def __init__(self, client: Mapping[str, str], timeout_s: float = DEFAULT_TIMEOUT_S) -> None:
        self._where = client["bootstrap.servers"]
        self._timeout_s = timeout_s
        self._last_error = ""
        # librdkafka would otherwise print its connection errors on stderr.
        settings: dict[str, Any] = {**client, "error_cb": self._remember, "log_level": 0}
        self._admin = AdminClient(settings)

    def pin(self, topics: Sequence[str]) -> Mapping[str, Pinned | Unreadable]:
        known = self._partitions_of(topics)
        found = [
            TopicPartition(topic, partition)
            for topic, partitions in known.items()
            if not isinstance(partitions, Unreadable)
            for partition in partitions
        ]
        starts = self._list(found, _SPECS.earliest())
        ends = self._list(found, _SPECS.latest())
        return {topic: _pinned(topic, partitions, starts, ends) for topic, partitions in known.items()}

    def first_kept(self, pinned: Pinned) -> Mapping[int, int]:
        """The first offset that each partition still holds, to see what was deleted meanwhile."""
        wanted = [TopicPartition(pinned.topic, part.partition) for part in pinned.filled]
        starts = self._list(wanted, _SPECS.earliest())
        return {partition: offset for (_, partition), offset in starts.items() if not isinstance(offset, Unreadable)}

    def _partitions_of(self, topics: Sequence[str]) -> dict[str, list[int] | Unreadable]:
        try:
            metadata = self._admin.list_topics(timeout=self._timeout_s)
        except KafkaException as error:
            raise self._unreachable(error) from None
        known: dict[str, list[int] | Unreadable] = {}
        for topic in topics:
            found = metadata.topics.get(topic)
            if found is None or found.error is not None:
                reason = (
                    f"topic {topic} does not exist on {self._where}, or may not be described:"
                    " apply the topology first, or check the name and the ACLs"
                )
                known[topic] = Unreadable(topic, reason)
            else:
                known[topic] = sorted(found.partitions)
        return known

    def _list(self, wanted: Sequence[TopicPartition], spec: Any) -> dict[tuple[str, int], int | Unreadable]:
        if not wanted:
            return {}
        futures = self._admin.list_offsets(
            dict.fromkeys(wanted, spec),
            isolation_level=IsolationLevel.READ_COMMITTED,
            request_timeout=self._timeout_s,
        )
        found: dict[tuple[str, int], int | Unreadable] = {}
        for place, future in futures.items():
            try:
                found[place.topic, place.partition] = future.result().offset
            except KafkaException as error:
                if _is_silence(error):
                    raise self._unreachable(error) from None
                reason = f"offsets of {place.topic}[{place.partition}] cannot be read: {_text(error)}"
                found[place.topic, place.partition] = Unreadable(place.topic, reason)
        return found

    def _remember(self, error: KafkaError) -> None:
        self._last_error = str(error.str())

    def _unreachable(self, error: KafkaException) -> Unreachable:
        detail = self._last_error or _text(error)
        return Unreachable(
            f"no answer from Kafka at {self._where} within {self._timeout_s:g} s ({detail}):"
            " check the address, the network and the client configuration"
        )


def _pinned(
    topic: str,
    partitions: list[int] | Unreadable,
    starts: Mapping[tuple[str, int], int | Unreadable],
    ends: Mapping[tuple[str, int], int | Unreadable],
) -> Pinned | Unreadable:
    if isinstance(partitions, Unreadable):
        return partitions
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


def _is_silence(error: KafkaException) -> bool:
    code = error.args[0].code()
    return code in {KafkaError._TIMED_OUT, KafkaError._TRANSPORT, KafkaError._ALL_BROKERS_DOWN}  # noqa: SLF001


def _text(error: KafkaException) -> str:
    return str(error.args[0].str())
