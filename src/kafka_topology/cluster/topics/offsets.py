"""Reads partitions of topics and their offsets, for groups, reviews and record checks."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, Any, TypeVar

from confluent_kafka import IsolationLevel, TopicPartition
from confluent_kafka import TopicCollection as Names
from confluent_kafka.admin import OffsetSpec  # type: ignore[attr-defined]

from ..live.topics import TopicShape, kafka_id
from ..outcomes import Failure, Outcome, unanswered

if TYPE_CHECKING:
    from collections.abc import Callable, Collection

    from ..connecting.connection import Connection
    from ..live.groups import Partition, Position


T = TypeVar("T")
NO_SUCH_RECORD = -1  # an answer of the broker, if asked for a time


def described(connection: Connection, topics: Collection[str], part: Callable[[Any], T]) -> dict[str, Outcome[T]]:
    """Sends one request for all topics; `part` picks the needed part of each answer."""
    found: dict[str, Outcome[T]] = {}
    with connection.asking() as ask:
        futures = ask.admin.describe_topics(Names(list(topics)), request_timeout=ask.timeout)
        for name, future in futures.items():
            answer = ask.value(f"describing topic '{name}'", future)
            found[name] = answer if isinstance(answer, Failure) else part(answer)
    return found


def shapes_of(connection: Connection, topics: Collection[str]) -> dict[str, Outcome[TopicShape]]:
    """The id and partitions of each topic. Needs only Describe."""
    return described(connection, topics, _shape) if topics else {}


def _shape(topic: Any) -> TopicShape:
    return TopicShape(kafka_id(str(topic.topic_id)), tuple(sorted(partition.id for partition in topic.partitions)))


def offsets_at(
    connection: Connection, to: Position, partitions: Collection[Partition], *, committed_only: bool = False
) -> dict[Partition, Outcome[int]]:
    """Sends one request for all partitions. The offset is -1 where no record is as recent as the given time.

    With `committed_only`, the latest offset is the start of the first open transaction.
    """
    if not partitions:
        return {}
    wanted = {TopicPartition(*partition): _spec(to) for partition in partitions}
    level = IsolationLevel.READ_COMMITTED if committed_only else IsolationLevel.READ_UNCOMMITTED
    found: dict[Partition, Outcome[int]] = {}
    with connection.asking() as ask:
        futures = ask.admin.list_offsets(wanted, isolation_level=level, request_timeout=ask.timeout)
        for partition, future in futures.items():
            what = f"reading the offsets of topic '{partition.topic}'"
            lowest = NO_SUCH_RECORD if isinstance(to, datetime) else 0
            found[partition.topic, partition.partition] = known_offset(what, ask.value(what, future), lowest)
    return found


def known_offset(what: str, answer: Any, lowest: int = 0) -> Outcome[int]:
    """The offset of an answer to `list_offsets`.

    librdkafka answers with a negative offset and no error where the leader of a partition is lost meanwhile. Taken for
    an offset, it would make a full log look empty.
    """
    if isinstance(answer, Failure):
        return answer
    if answer.offset < lowest:
        return unanswered(what, "the leader of a partition gave no offset")
    return int(answer.offset)


def _spec(to: Position) -> Any:
    spec: Any = OffsetSpec
    if isinstance(to, datetime):
        return spec.for_timestamp(round(to.timestamp() * 1000))
    return spec.earliest() if to == "earliest" else spec.latest()
