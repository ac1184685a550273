"""Finds the open transactions that keep readers of committed records from the end of a partition.

The leader of a partition knows the producers with an open transaction. Only the coordinator knows since when it is
open, its timeout and its transactional id. librdkafka has none of these requests.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import replace
from datetime import timedelta
from functools import partial
from typing import TYPE_CHECKING, Any, Final

from ..live.transactions import OpenTransaction
from ..outcomes import Failure, FailureKind, Outcome
from ..privileges import not_allowed
from .offsets import described
from .producers import ask_leader, moment

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping

    from ..connecting.connection import Connection
    from ..connecting.second_client import SecondClient
    from ..live.groups import Partition

MOST_PARTITIONS: Final = 100
MOST_DESCRIBED: Final = 20

Found = dict["Partition", "Outcome[tuple[OpenTransaction, ...]]"]


def open_transactions(connection: Connection, client: SecondClient, partitions: Collection[Partition]) -> Found:
    """The open transactions of each partition, the oldest first.

    One request for each leader, one for each broker, and one for each transactional id; at most `MOST_PARTITIONS` are
    asked about, and at most `MOST_DESCRIBED` transactional ids.
    """
    asked = sorted(partitions)[:MOST_PARTITIONS]
    too_many = Failure(FailureKind.REFUSED, f"only the first {MOST_PARTITIONS} such partitions were asked about")
    found: Found = dict.fromkeys(partitions, too_many)
    found |= _on_leaders(client, _leaders(connection, asked))
    producers = {each.producer_id for held in found.values() if not isinstance(held, Failure) for each in held}
    known = dict(_known_to_coordinators(client, producers)) if producers else {}
    return {
        partition: held if isinstance(held, Failure) else tuple(_joined(each, known) for each in held)
        for partition, held in found.items()
    }


def _leaders(connection: Connection, partitions: Collection[Partition]) -> dict[Partition, Outcome[int]]:
    shapes = described(connection, {topic for topic, _ in partitions}, lambda topic: topic.partitions)
    found: dict[Partition, Outcome[int]] = {}
    for topic, number in partitions:
        shape = shapes[topic]
        if isinstance(shape, Failure):
            found[topic, number] = shape
            continue
        leader = next((each.leader for each in shape if each.id == number), None)
        if leader is None or leader.id < 0:
            found[topic, number] = Failure(FailureKind.UNCERTAIN, f"{_what(topic)}: partition {number} has no leader")
        else:
            found[topic, number] = leader.id
    return found


def _on_leaders(client: SecondClient, leaders: Mapping[Partition, Outcome[int]]) -> Found:
    found: Found = {}
    asked: defaultdict[int, defaultdict[str, list[int]]] = defaultdict(lambda: defaultdict(list))
    for (topic, number), leader in leaders.items():
        if isinstance(leader, Failure):
            found[topic, number] = leader
        else:
            asked[leader][topic].append(number)
    for leader, wanted in asked.items():
        answer = client.call("looking for producers", partial(ask_leader, leader=leader, partitions=wanted))
        if answer is None:
            answer = Failure(FailureKind.REJECTED, "the brokers are too old to list producers (Kafka 2.8 can)")
        if isinstance(answer, Failure):
            found |= {(topic, number): answer for topic, numbers in wanted.items() for number in numbers}
            continue
        for topic in answer.topics:
            for part in topic.partitions:
                found[topic.name, part.partition_index] = _open(client, topic.name, part)
    return found


def _open(client: SecondClient, topic: str, part: Any) -> Outcome[tuple[OpenTransaction, ...]]:
    failure = client.failed(_what(topic), part.error_code, part.error_message)
    if failure is not None:
        return not_allowed(_what(topic)) if failure.kind is FailureKind.DENIED else failure
    found = (
        OpenTransaction(
            each.producer_id, each.current_txn_start_offset, moment(each.last_timestamp), epoch=each.producer_epoch
        )
        for each in part.active_producers
        if each.current_txn_start_offset >= 0
    )
    return tuple(sorted(found, key=lambda each: each.first_offset))


def _known_to_coordinators(client: SecondClient, producers: Collection[int]) -> Iterator[tuple[int, tuple[str, Any]]]:
    """Transactional id and description by producer id. Nothing for those that the principal may not describe.

    The id alone is better than nothing, so a failure to describe leaves the description None.
    """
    listed = client.call("listing transactions", lambda kafka: kafka.list_transactions(producer_id_filters=producers))
    if isinstance(listed, Failure):
        return
    names = {each.producer_id: each.transactional_id for listings in listed.values() for each in listings}
    for producer, name in sorted(names.items())[:MOST_DESCRIBED]:
        described = client.call("describing a transaction", partial(_description, name=name))
        yield producer, (name, None if isinstance(described, Failure) else described)


def _description(client: Any, name: str) -> Any:
    return client.describe_transactions([name])[name]


def _joined(found: OpenTransaction, known: Mapping[int, tuple[str, Any]]) -> OpenTransaction:
    name, described = known.get(found.producer_id, (None, None))
    if described is None or described.producer_id != found.producer_id:
        return replace(found, transactional_id=name)
    return replace(
        found,
        transactional_id=name,
        started=moment(described.transaction_start_time_ms),
        timeout=timedelta(milliseconds=described.transaction_timeout_ms),
    )


def _what(topic: str) -> str:
    return f"looking for producers of topic '{topic}'"
