"""Finds out whether a topic is in use: which groups read it, and what it holds."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Final

from confluent_kafka import ConsumerGroupState, TopicPartition
from confluent_kafka.admin import AclOperation, OffsetSpec  # type: ignore[attr-defined]  # unmarked there

from ..live.topics import TopicContents
from ..outcomes import Failure, FailureKind, Outcome
from ..privileges import denied

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from ..connecting.answers import Asking

_NOT_READING: Final = frozenset({ConsumerGroupState.EMPTY, ConsumerGroupState.DEAD})


def readers_of(ask: Asking, names: Collection[str]) -> dict[str, Outcome[tuple[str, ...]]]:
    """The consumer groups whose members read each topic now."""
    groups = _reading_groups(ask)
    if isinstance(groups, Failure):
        return dict.fromkeys(names, groups)
    readers: dict[str, set[str]] = {name: set() for name in names}
    for group, topics in groups.items():
        for topic in topics & readers.keys():
            readers[topic].add(f"group '{group}'")
    return {name: tuple(sorted(groups)) for name, groups in readers.items()}


def _reading_groups(ask: Asking) -> Outcome[dict[str, set[str]]]:
    listing = ask.value(
        "listing consumer groups",
        ask.admin.list_consumer_groups(request_timeout=ask.timeout),
    )
    if isinstance(listing, Failure):
        return listing
    if listing.errors:
        return ask.failure("listing consumer groups", listing.errors[0].args[0])
    hidden = _hidden_groups(ask)
    if hidden is not None:
        return hidden
    ids = [group.group_id for group in listing.valid if group.state not in _NOT_READING]
    reading: dict[str, set[str]] = {}
    if not ids:
        return reading
    futures = ask.admin.describe_consumer_groups(ids, request_timeout=ask.timeout)
    for group, future in futures.items():
        description = ask.value(f"describing group '{group}'", future)
        if isinstance(description, Failure):
            return description
        reading[group] = {
            partition.topic
            for member in description.members
            for partition in (member.assignment.topic_partitions if member.assignment else ())
        }
    return reading


def _hidden_groups(ask: Asking) -> Failure | None:
    """Without Describe on the cluster, Kafka lists only the groups you may describe, and names no operations here."""
    what = "listing consumer groups"
    future = ask.admin.describe_cluster(include_authorized_operations=True, request_timeout=ask.timeout)
    cluster = ask.value(what, future)
    if isinstance(cluster, Failure):
        return cluster
    is_allowed = AclOperation.DESCRIBE in (cluster.authorized_operations or ())
    return None if is_allowed else Failure(FailureKind.DENIED, denied(what))


def contents_of(ask: Asking, topics: Mapping[str, int]) -> dict[str, Outcome[TopicContents]]:
    partitions = [TopicPartition(name, p) for name, count in topics.items() for p in range(count)]
    starts, ends, newest = (
        ask.admin.list_offsets(dict.fromkeys(partitions, spec), request_timeout=ask.timeout) for spec in _offset_specs()
    )
    contents: dict[str, Outcome[TopicContents]] = dict.fromkeys(topics, TopicContents(0))
    for partition in partitions:
        name = partition.topic
        before = contents[name]
        answers = [
            ask.value(f"reading the offsets of topic '{name}'", futures[partition])
            for futures in (starts, ends, newest)
        ]
        failure = next((a for a in answers if isinstance(a, Failure)), None)
        if isinstance(before, Failure) or failure is not None:
            contents[name] = failure or before
            continue
        start, end, last = answers
        moment = _moment(last.timestamp)
        contents[name] = TopicContents(
            before.offsets + end.offset - start.offset,
            max(filter(None, (before.last_write, moment)), default=None),
            before.written + end.offset,
        )
    return contents


def _offset_specs() -> tuple[Any, Any, Any]:
    spec: Any = OffsetSpec
    return spec.earliest(), spec.latest(), spec.max_timestamp()


def _moment(timestamp: int) -> datetime | None:
    return datetime.fromtimestamp(timestamp / 1000, UTC) if timestamp > 0 else None
