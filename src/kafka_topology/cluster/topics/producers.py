"""Finds the recent producers of topics, by a protocol message of kafka-python that librdkafka does not have.

Kafka remembers the last write of each idempotent or transactional producer for `producer.id.expiration.ms` (a day),
even after its records are gone. It remembers nothing about other producers.
"""

from __future__ import annotations

from collections import defaultdict
from datetime import UTC, datetime
from functools import partial
from typing import TYPE_CHECKING, Any

from kafka.errors import IncompatibleBrokerVersion, UnsupportedVersionError
from kafka.protocol.admin import DescribeProducersRequest

from ..live.topics import Writer
from ..outcomes import Failure, FailureKind, Outcome
from ..privileges import not_allowed

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ..connecting.second_client import SecondClient
    from ..live.topics import LiveTopic


def writers_of(client: SecondClient, topics: Mapping[str, LiveTopic]) -> dict[str, Outcome[tuple[Writer, ...] | None]]:
    """The producers that each topic's leaders remember; None if the brokers are too old to list them."""
    found: dict[str, Outcome[tuple[Writer, ...] | None]] = dict.fromkeys(topics, ())
    asked: defaultdict[int, defaultdict[str, list[int]]] = defaultdict(lambda: defaultdict(list))
    for name, topic in topics.items():
        for number, placed in enumerate(topic.placement):
            if placed.leader is None:
                found[name] = Failure(FailureKind.UNCERTAIN, f"{_what(name)}: partition {number} has no leader")
            else:
                asked[placed.leader][name].append(number)
    for leader, partitions in asked.items():
        answer = client.call("looking for producers", partial(ask_leader, leader=leader, partitions=partitions))
        if answer is None or isinstance(answer, Failure):
            found |= dict.fromkeys(partitions, answer)
            continue
        for topic in answer.topics:
            for partition in topic.partitions:
                found[topic.name] = _with(client, found[topic.name], topic.name, partition)
    return found


def ask_leader(client: Any, leader: int | None, partitions: Mapping[str, list[int]]) -> Any:
    """The answer of one broker, or of any, about partitions that it leads; None if it is too old for the question."""
    request = DescribeProducersRequest(
        topics=[
            DescribeProducersRequest.TopicRequest(name=name, partition_indexes=numbers)
            for name, numbers in partitions.items()
        ]
    )
    manager = client._manager  # noqa: SLF001 - its own call raises for all topics when one has an error
    try:
        return manager.run(manager.send, request, leader)
    except (IncompatibleBrokerVersion, UnsupportedVersionError):
        return None


def moment(milliseconds: int) -> datetime | None:
    """Kafka says -1 for a time that it does not know."""
    return datetime.fromtimestamp(milliseconds / 1000, UTC) if milliseconds > 0 else None


def _with(
    client: SecondClient, before: Outcome[tuple[Writer, ...] | None], name: str, partition: Any
) -> Outcome[tuple[Writer, ...] | None]:
    failure = client.failed(_what(name), partition.error_code, partition.error_message)
    if failure is not None and failure.kind is FailureKind.DENIED:
        failure = not_allowed(_what(name))
    if failure is not None or before is None or isinstance(before, Failure):
        return failure or before
    return (
        *before,
        *(
            Writer(
                partition.partition_index,
                producer.producer_id,
                moment(producer.last_timestamp),
                in_transaction=producer.current_txn_start_offset >= 0,
            )
            for producer in partition.active_producers
        ),
    )


def _what(name: str) -> str:
    return f"looking for producers of topic '{name}'"
