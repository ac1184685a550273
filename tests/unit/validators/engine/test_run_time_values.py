"""A placeholder in a client's setting has a value that only the running client knows: no rule may judge it."""

from __future__ import annotations

from pathlib import Path

import pytest

from kafka_topology.topology import Finding, load
from kafka_topology.topology.kafka.catalogue import catalogue
from kafka_topology.topology.kafka.clients.formats import in_own_names
from kafka_topology.topology.kafka.clients.settings import client_settings
from kafka_topology.validators import run

ORDERS = """\
version: 1
cluster: {brokers: 3, racks: [a, b, c]}
topics: {orders: {partitions: 6, replication: 3}}
"""
PLACEHOLDERS = ("${env:NAME}", "${HOSTNAME}", "${NAME:5}", "${file:/etc/kafka.properties:name}", "app-${HOSTNAME}")


def findings(text: str, folder: Path) -> list[Finding]:
    file = folder / "topology.yaml"
    file.write_text(text)
    loaded = load(file)
    assert loaded.topology is not None, [problem.message for problem in loaded.problems]
    return list(run(loaded.topology).findings)


@pytest.mark.parametrize("side", ["producer", "consumer", "streams"])
@pytest.mark.parametrize("value", PLACEHOLDERS)
def test_no_rule_judges_any_setting_that_is_a_placeholder(side: str, value: str, tmp_path: Path) -> None:
    settings = catalogue("4.1").scope(side)
    config = "\n".join(f'      {name}: "{value}"' for name, key in settings.items() if key.type != "password")
    role = {
        "producer": "producers:\n  p:\n    topics: [orders]\n    delivery: exactly-once\n    transactionalId: p-",
        "consumer": "consumerGroups:\n  p:\n    topics: [orders]\n    members: 3\n    delivery: exactly-once",
        "streams": "streams:\n  p:\n    reads: [orders]\n    delivery: exactly-once",
    }[side]
    found = findings(f"{ORDERS}{role}\n    config:\n{config}\n", tmp_path)
    assert [f.message for f in found if value in f.message] == []
    assert [f.id for f in found if f.location.line > ORDERS.count("\n") + role.count("\n") + 2] == []


def test_a_secret_beside_a_placeholder_is_still_found(tmp_path: Path) -> None:
    text = ORDERS + 'producers: {p: {topics: [orders], config: {ssl.key.password: "hunter2${env:NOTHING}"}}}\n'
    assert "KT607" in {f.id for f in findings(text, tmp_path)}


def test_only_settings_of_clients_have_placeholders(tmp_path: Path) -> None:
    (tmp_path / "topology.yaml").write_text(ORDERS.replace("n: 3}}", 'n: 3, config: {retention.ms: "${X}"}}}'))
    assert [problem.id for problem in load(tmp_path / "topology.yaml").problems] == ["KT003"]


def test_printed_settings_keep_placeholders(tmp_path: Path) -> None:
    names = ("acks", "delivery.timeout.ms", "transaction.timeout.ms", "request.timeout.ms")
    config = ", ".join(f'{name}: "${{{name[:4]}}}"' for name in names)
    role = (
        f"producers: {{p: {{topics: [orders], delivery: exactly-once, transactionalId: p-, config: {{{config}}}}}}}\n"
    )
    (tmp_path / "topology.yaml").write_text(ORDERS + role)
    topology = load(tmp_path / "topology.yaml").topology
    assert topology is not None
    [client] = client_settings(topology)
    printed = in_own_names(client)
    assert {name: printed[name] for name in names} == {name: f"${{{name[:4]}}}" for name in names}
