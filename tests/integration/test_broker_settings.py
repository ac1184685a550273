"""KT711 against the class with which Kafka's brokers accept or refuse their own settings when they start."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from kafka_topology.toolchain import ensure_kafka
from kafka_topology.topology import load
from kafka_topology.topology.kafka.broker_pairs import HARMFUL, LEAST, REFUSED, TIERED
from kafka_topology.topology.kafka.catalogue import catalogue
from kafka_topology.topology.model.units import kafka_integer
from kafka_topology.validators import run

SOURCE = Path(__file__).parents[1] / "support" / "BrokerSettings.java"
VERSION = "4.1"

Settings = dict[str, str]


def around_pairs() -> list[Settings]:
    """Each pair at its limit and on both sides of it, with either of the two declared, or both."""
    known, found = catalogue(VERSION).broker, []
    for pair in (*REFUSED, *HARMFUL):
        if pair.name not in known or pair.least not in known:
            continue
        name, least = (kafka_integer(known[key].default or "") for key in (pair.name, pair.least))
        assert name is not None, pair
        assert least is not None, pair
        limit = pair.smallest(least)
        found += [{pair.name: str(number)} for number in (limit - 1, limit, limit + 1)]
        most = (name - pair.gap) // pair.times
        found += [{pair.least: str(number)} for number in (most - 1, most, most + 1) if number > 0]
        found += [{pair.name: str(number), pair.least: str(least)} for number in (limit - 1, limit)]
    return found


def others() -> list[Settings]:
    found = [{name: str(number)} for name, least, _ in LEAST for number in (-1, least - 1, least)]
    found += [{"queued.max.request.bytes": number} for number in ("-5", "0")]
    found += [{"group.coordinator.rebalance.protocols": value} for value in ("consumer", "classic", "consumer,classic")]
    for tiered in ("true", "false"):
        found += [
            {TIERED: tiered, "log.local.retention.ms": local, **retention}
            for local in ("-2", "-1", "1000", "3600000", "90000000")
            for retention in ({}, {"log.retention.hours": "1"}, {"log.retention.ms": "-1"})
        ]
        found += [
            {TIERED: tiered, "log.local.retention.bytes": local, "log.retention.bytes": whole}
            for local in ("-2", "-1", "500")
            for whole in ("-1", "499", "500")
        ]
    return found


CASES = [*around_pairs(), *others()]


@pytest.fixture(scope="module")
def refused() -> list[str]:
    """Why Kafka refuses each case, or an empty text."""
    lines = [" ".join(f"{name}={value}" for name, value in case.items()) for case in CASES]
    command = ["java", "-XX:TieredStopAtLevel=1", "-cp", f"{ensure_kafka()[0].parent}/*", str(SOURCE)]
    done = subprocess.run(command, input="\n".join(lines), capture_output=True, text=True, timeout=180, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


def errors(file: Path, case: Settings) -> set[str]:
    declared = "".join(f'    {name}: "{value}"\n' for name, value in case.items())
    file.write_text(f'version: 1\ncluster:\n  kafka: "{VERSION}"\n  defaults:\n{declared}')
    loaded = load(file)
    assert loaded.topology is not None, loaded.problems
    return {finding.id for finding in run(loaded.topology).findings}


def test_what_kafka_refuses_is_found_and_nothing_else(refused, tmp_path):
    assert len(refused) == len(CASES)
    assert sum(map(bool, refused)) > 40
    wrong = []
    for case, reason in zip(CASES, refused, strict=True):
        found = errors(tmp_path / "topology.yaml", case)
        if bool(reason) != bool({"KT711", "KT302"} & found):
            wrong.append((case, reason, found))
    assert wrong == []
