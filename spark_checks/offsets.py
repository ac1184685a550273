"""Fixes what is read before it is read: the first and last offset of every partition.

This is the one module that talks to Kafka itself. Spark would look the offsets up while it plans the scan,
a moment nobody sees, and a check could then not be repeated.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from confluent_kafka import IsolationLevel, KafkaError, KafkaException, TopicCollection, TopicPartition
from confluent_kafka.admin import AdminClient
from confluent_kafka.admin import OffsetSpec as _OffsetSpec  # type: ignore[attr-defined]

from .ranges import Identity, Pinned, Range, Unreadable
from .selection import Selection, chosen

# The types that ranges are made of are asked for here as well.
__all__ = ["DEFAULT_TIMEOUT_S", "Offsets", "Pinned", "Range", "Unreachable", "Unreadable"]

DEFAULT_TIMEOUT_S = 10.0
_MOST_EVENTS = 1000
_REFUSED = {KafkaError._AUTHENTICATION, KafkaError._SSL}  # noqa: SLF001 - the client's public codes
_SPECS: Any = _OffsetSpec  # the client has no types for its factory methods


class Unreachable(Exception):
    """The cluster did not answer: nothing could be checked."""


class Offsets:
    """Looks offsets up with one request per kind for all partitions of all topics."""

    def __init__(self, client: Mapping[str, str], timeout_s: float = DEFAULT_TIMEOUT_S) -> None:
        self._where = client["bootstrap.servers"]
        self._timeout_s = timeout_s
        self._last_error = ""
        self._refused = False
        self._cluster_id = ""
        # librdkafka would otherwise print its connection errors on stderr.
        settings: dict[str, Any] = {**client, "error_cb": self._remember, "log_level": 0}
        self._admin = AdminClient(settings)

    def pin(self, topics: Sequence[str], selection: Selection) -> Mapping[str, Pinned | Unreadable]:
        known = self._partitions_of(topics)
        found = [
            TopicPartition(topic, partition)
            for topic, partitions in known.items()
            if not isinstance(partitions, Unreadable)
            for partition in partitions
        ]
        starts = self._list(found, _SPECS.earliest())
        ends = self._list(found, _SPECS.latest())
        held = {topic: _pinned(topic, partitions, starts, ends) for topic, partitions in known.items()}
        since = None if selection.since_ms is None else self._list(found, _SPECS.for_timestamp(selection.since_ms))
        identities = {} if selection.state is None else self._identities(held)
        pinned: dict[str, Pinned | Unreadable] = {}
        for topic, part in held.items():
            identity = identities.get(topic)
            first = None if since is None else _of_topic(since, topic)
            if isinstance(part, Unreadable) or isinstance(identity, Unreadable) or isinstance(first, Unreadable):
                pinned[topic] = next(each for each in (part, identity, first) if isinstance(each, Unreadable))
            else:
                pinned[topic] = chosen(selection, part, first, identity)
        return pinned

    def first_kept(self, pinned: Pinned) -> Mapping[int, int]:
        """The first offset that each partition still holds, to see what was deleted meanwhile."""
        wanted = [TopicPartition(pinned.topic, part.partition) for part in pinned.ranges if part.end > part.start]
        starts = self._list(wanted, _SPECS.earliest())
        return {partition: offset for (_, partition), offset in starts.items() if not isinstance(offset, Unreadable)}

    def _identities(self, held: Mapping[str, Pinned | Unreadable]) -> dict[str, Identity | Unreadable]:
        readable = [topic for topic, part in held.items() if isinstance(part, Pinned)]
        if not readable:
            return {}
        futures = self._admin.describe_topics(TopicCollection(readable), request_timeout=self._timeout_s)
        found: dict[str, Identity | Unreadable] = {}
        for topic, future in futures.items():
            try:
                found[topic] = Identity(self._cluster_id, str(future.result().topic_id))
            except KafkaException as error:
                if _is_silence(error):
                    raise self._unreachable(error) from None
                found[topic] = Unreadable(topic, f"topic {topic} cannot be described: {_text(error)}")
        return found

    def _partitions_of(self, topics: Sequence[str]) -> dict[str, list[int] | Unreadable]:
        try:
            metadata = self._admin.list_topics(timeout=self._timeout_s)
        except KafkaException as error:
            raise self._unreachable(error) from None
        self._cluster_id = str(metadata.cluster_id)
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
        # A login that was refused explains the broken connections that follow.
        if not self._refused:
            self._last_error = str(error.str())
            self._refused = error.code() in _REFUSED

    def _unreachable(self, error: KafkaException) -> Unreachable:
        for _ in range(_MOST_EVENTS):
            if not self._admin.poll(0):  # errors are told only to who asks
                break
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


def _of_topic(found: Mapping[tuple[str, int], int | Unreadable], topic: str) -> Mapping[int, int] | Unreadable:
    offsets: dict[int, int] = {}
    for (name, partition), offset in found.items():
        if name == topic:
            if isinstance(offset, Unreadable):
                return offset
            offsets[partition] = offset
    return offsets


def _is_silence(error: KafkaException) -> bool:
    code = error.args[0].code()
    return code in {KafkaError._TIMED_OUT, KafkaError._TRANSPORT, KafkaError._ALL_BROKERS_DOWN}  # noqa: SLF001


def _text(error: KafkaException) -> str:
    return str(error.args[0].str())
