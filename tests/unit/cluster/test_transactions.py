"""Open transactions from the answers of leaders and coordinators, without a broker."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from types import SimpleNamespace
from typing import Any

import pytest

from kafka_topology.cluster.live.transactions import OpenTransaction
from kafka_topology.cluster.outcomes import Failure, FailureKind
from kafka_topology.cluster.topics import transactions
from kafka_topology.cluster.topics.transactions import MOST_PARTITIONS, open_transactions

STARTED = datetime(2026, 3, 1, tzinfo=UTC)
MS = int(STARTED.timestamp() * 1000)


class Kafka:
    """Stands for kafka-python's admin client: it answers, or raises."""

    def __init__(self, known: dict[int, str]) -> None:
        self.known = known

    def list_transactions(self, producer_id_filters: set[int]) -> dict[int, list[Any]]:
        held = self.known.items()
        return {
            1: [SimpleNamespace(producer_id=i, transactional_id=n) for i, n in held if i in producer_id_filters],
            2: [],
        }

    def describe_transactions(self, names: list[str]) -> dict[str, Any]:
        (name,) = names
        producer = next(each for each, known in self.known.items() if known == name)
        if name == "denied":
            raise PermissionError(name)
        return {
            name: SimpleNamespace(producer_id=producer, transaction_timeout_ms=60_000, transaction_start_time_ms=MS)
        }


class Client:
    """Stands for `SecondClient`: what raises is a failure."""

    def __init__(self, kafka: Kafka) -> None:
        self.kafka = kafka

    def call(self, what: str, use: Callable[[Any], Any]) -> Any:
        try:
            return use(self.kafka)
        except PermissionError as error:
            return Failure(FailureKind.DENIED, f"{what}: {error}")

    def failed(self, what: str, code: int, message: str | None) -> Failure | None:
        return Failure(FailureKind.DENIED, f"{what}: {message}") if code else None


@pytest.fixture
def ask(monkeypatch: pytest.MonkeyPatch) -> Callable[..., Any]:
    def asked(partitions: list[tuple[str, int]], answers: dict[int, Any], known: dict[int, str]) -> Any:
        """`answers` has the active producers of each partition: (producer id, first offset), or an error code."""

        def leader(_: Any, leader: int, partitions: dict[str, list[int]]) -> Any:
            assert leader == 7
            return SimpleNamespace(
                topics=[
                    SimpleNamespace(name=topic, partitions=[part(number) for number in numbers])
                    for topic, numbers in partitions.items()
                ]
            )

        def part(number: int) -> Any:
            answer = answers[number]
            code = answer if isinstance(answer, int) else 0
            active = [] if code else [
                SimpleNamespace(
                    producer_id=producer, producer_epoch=5, current_txn_start_offset=first, last_timestamp=-1
                )
                for producer, first in answer
            ]  # fmt: skip
            return SimpleNamespace(partition_index=number, error_code=code, error_message="no", active_producers=active)

        led = dict.fromkeys(partitions, 7)
        monkeypatch.setattr(transactions, "_leaders", lambda _, wanted: {each: led[each] for each in wanted})
        monkeypatch.setattr(transactions, "ask_leader", leader)
        return open_transactions(None, Client(Kafka(known)), partitions)  # type: ignore[arg-type]

    return asked


def test_the_coordinator_says_who_and_since_when(ask: Callable[..., Any]) -> None:
    found = ask([("t", 0)], {0: [(12, 40), (11, 30), (13, -1)]}, {11: "app"})
    assert found == {
        ("t", 0): (
            OpenTransaction(11, 30, None, "app", STARTED, timedelta(minutes=1), epoch=5),
            OpenTransaction(12, 40, epoch=5),  # no coordinator knows it
        )
    }


def test_what_may_not_be_described_keeps_what_is_known(ask: Callable[..., Any]) -> None:
    found = ask([("t", 0), ("t", 1)], {0: [(11, 30)], 1: 29}, {11: "denied"})
    assert found["t", 0] == (OpenTransaction(11, 30, transactional_id="denied", epoch=5),)
    assert found["t", 1].kind is FailureKind.DENIED
    assert "it needs Read on the topic" in found["t", 1].message


def test_only_so_many_partitions_are_asked_about(ask: Callable[..., Any]) -> None:
    many = [("t", number) for number in range(MOST_PARTITIONS + 5)]
    found = ask(many, dict.fromkeys(range(len(many)), ()), {})
    assert [isinstance(found[each], Failure) for each in many] == [False] * MOST_PARTITIONS + [True] * 5
