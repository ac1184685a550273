"""Finds out what topics hold, and when they were last written."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from confluent_kafka import TopicPartition
from confluent_kafka.admin import OffsetSpec  # type: ignore[attr-defined]  # unmarked there

from ..live.topics import TopicContents
from ..outcomes import Failure, Outcome
from .offsets import NO_SUCH_RECORD, known_offset

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ..connecting.answers import Asking


def contents_of(ask: Asking, topics: Mapping[str, int]) -> dict[str, Outcome[TopicContents]]:
    partitions = [TopicPartition(name, p) for name, count in topics.items() for p in range(count)]
    starts, ends, newest = (
        ask.admin.list_offsets(dict.fromkeys(partitions, spec), request_timeout=ask.timeout) for spec in _offset_specs()
    )
    contents: dict[str, Outcome[TopicContents]] = dict.fromkeys(topics, TopicContents(0))
    for partition in partitions:
        name = partition.topic
        before, what = contents[name], f"reading the offsets of topic '{name}'"
        last = ask.value(what, newest[partition])
        offsets = [known_offset(what, ask.value(what, futures[partition])) for futures in (starts, ends)]
        start, end, at = *offsets, known_offset(what, last, NO_SUCH_RECORD)
        failure = next((each for each in (start, end, at) if isinstance(each, Failure)), None)
        if isinstance(before, Failure) or isinstance(start, Failure) or isinstance(end, Failure) or failure is not None:
            contents[name] = failure or before
            continue
        contents[name] = TopicContents(
            before.offsets + end - start,
            max(filter(None, (before.last_write, _moment(last.timestamp))), default=None),
            before.written + end,
        )
    return contents


def _offset_specs() -> tuple[Any, Any, Any]:
    spec: Any = OffsetSpec
    return spec.earliest(), spec.latest(), spec.max_timestamp()


def _moment(timestamp: int) -> datetime | None:
    return datetime.fromtimestamp(timestamp / 1000, UTC) if timestamp > 0 else None
