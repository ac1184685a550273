"""What an import writes about brokers."""

from __future__ import annotations

from pathlib import Path

import pytest

from kafka_topology.importing.brokers import is_used, uneven_settings, used_settings, with_down
from kafka_topology.topology import load
from kafka_topology.topology.kafka.effective import EffectiveSettings
from kafka_topology.validators import validate

CORPUS = Path(__file__).parents[2] / "data" / "corpus"


def test_what_brokers_agree_on_and_kafka_would_not_use_anyway() -> None:
    one = {
        "min.insync.replicas": "1",
        "num.partitions": "1",
        "log.retention.hours": "24",
        "log.retention.ms": "86400000",
        "transaction.max.timeout.ms": "60000",
        "group.consumer.session.timeout.ms": "45000",
        "log.dirs": "/disk",
        "broker.id": "1",
    }
    other = {**one, "broker.id": "2", "transaction.max.timeout.ms": "900000"}
    assert used_settings([one, other], "4.1") == {
        "log.retention.hours": "24",
        "log.retention.ms": "86400000",
        "min.insync.replicas": "1",
    }
    assert uneven_settings([one, other]) == ("transaction.max.timeout.ms",)
    assert used_settings([], None) == {}


def test_brokers_that_are_down_count() -> None:
    assert with_down({1: "a", 2: "b"}, {3: "c"}, {1, 2, 4}) == {1: "a", 2: "b", 3: "c", 4: None}


def test_an_import_writes_every_broker_setting_that_rules_ask_for(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: set[str] = set()
    ask = EffectiveSettings.broker

    def recorded(settings: EffectiveSettings, name: str) -> object:
        asked.add(name)
        return ask(settings, name)

    monkeypatch.setattr(EffectiveSettings, "broker", recorded)
    for file in sorted(CORPUS.rglob("*.yaml")):
        topology = load(file).topology
        if topology is not None:
            validate(topology)
    assert len(asked) > 20
    # Each broker has listeners of its own, so they are no setting of the cluster.
    assert {name for name in asked if not is_used(name)} == {"listeners"}
