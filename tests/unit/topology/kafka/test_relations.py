"""Settings that a client takes one by one and refuses together: what is printed, and what is a finding."""

from __future__ import annotations

import pytest

from kafka_topology.topology import load
from kafka_topology.topology.kafka.clients.code import as_native
from kafka_topology.topology.kafka.clients.formats import as_data, as_properties
from kafka_topology.topology.kafka.clients.libraries import LIBRARIES
from kafka_topology.topology.kafka.clients.settings import client_settings
from kafka_topology.validators import run
from kafka_topology.validators.engine.registry import builtin_rules

HEAD = 'version: 1\ncluster: {kafka: "4.1", brokers: 3}\ntopics:\n  t: {partitions: 3, replication: 3}\n'
REFUSALS = ("KT402", "KT405", "KT418", "KT420", "KT431", "KT432", "KT504", "KT506", "KT518", "KT525")


@pytest.fixture
def declared(tmp_path):
    def of(side: str, library: str, config: str, more: str = ""):
        section = "producers" if side == "producer" else "consumerGroups"
        file = tmp_path / "topology.yaml"
        file.write_text(
            f"{HEAD}{section}:\n  x: {{topics: [t], library: {library}, config: {{{config}}}{more and f', {more}'}}}\n"
        )
        topology = load(file).topology
        assert topology is not None
        (client,) = client_settings(topology)
        return client, [found.id for found in run(topology).findings if found.id in REFUSALS]

    return of


AT_MOST = "delivery: at-most-once"
EXACTLY = "delivery: exactly-once, transactionalId: x-"
CASES = [
    ("consumer", "kafka-go", "MinBytes: 2MB", "", {"MinBytes": "1000000"}, ["KT432"]),
    (
        "consumer", "kafkajs", "sessionTimeout: 10s, heartbeatInterval: 10s", "",
        {"heartbeatInterval": "3333"}, ["KT504"],
    ),
    (
        "consumer", "sarama", "Consumer.Group.Session.Timeout: 5s, Consumer.Group.Heartbeat.Interval: 6s", "",
        {"Consumer.Group.Heartbeat.Interval": "1666ms"}, ["KT504"],
    ),
    (
        "producer", "sarama", "Producer.Transaction.ID: a, Producer.Idempotent: false", AT_MOST,
        {"Producer.Transaction.ID": None}, ["KT432"],
    ),
    ("consumer", "kafka-python", "request_timeout_ms: 10m", "", {"connections_max_idle_ms": "600001"}, ["KT432"]),
    ("consumer", "kafka-python", "connections_max_idle_ms: 30s", "", {"connections_max_idle_ms": "30001"}, ["KT432"]),
    ("consumer", "kafka-python", "fetch_max_wait_ms: 30s", "", {"fetch_max_wait_ms": "29999"}, ["KT525"]),
    ("consumer", "kafka-python", "session_timeout_ms: 100", "", {"heartbeat_interval_ms": "33"}, ["KT504"]),
    ("producer", "kafka-python", "request_timeout_ms: 5m", AT_MOST, {"delivery_timeout_ms": "300000"}, ["KT405"]),
    (
        "consumer", "librdkafka", "receive.message.max.bytes: 600000", "",
        {"receive.message.max.bytes": "52429312"}, ["KT432"],
    ),
    (
        # The default of fetch.max.bytes follows the queue and the largest message.
        "consumer", "librdkafka", "receive.message.max.bytes: 1100000, queued.max.messages.kbytes: 100KiB", "",
        {"receive.message.max.bytes": "1100000"}, [],
    ),
    ("consumer", "librdkafka", "fetch.max.bytes: 900000", "", {"fetch.max.bytes": "1000000"}, ["KT432"]),
    ("consumer", "librdkafka", "session.timeout.ms: 400s", "", {"max.poll.interval.ms": "400000"}, ["KT506"]),
    ("consumer", "librdkafka", "reconnect.backoff.ms: 20s", "", {"reconnect.backoff.max.ms": "20000"}, ["KT432"]),
    (
        "producer", "librdkafka", "enable.gapless.guarantee: true", AT_MOST,
        {"enable.gapless.guarantee": "false"}, ["KT402", "KT432"],
    ),
    (
        "producer", "librdkafka", "enable.idempotence: true, queuing.strategy: lifo", "",
        {"queuing.strategy": "fifo"}, ["KT432"],
    ),
    (
        "producer", "librdkafka", "enable.idempotence: true, queue.buffering.backpressure.threshold: 10", "",
        {"queue.buffering.backpressure.threshold": "1"}, ["KT432"],
    ),
    (
        "producer", "librdkafka", "enable.idempotence: true, socket.timeout.ms: 5m", EXACTLY,
        {"socket.timeout.ms": "60100"}, ["KT432"],
    ),
    ("producer", "librdkafka", "acks: 1, linger.ms: 400s", AT_MOST, {"linger.ms": "299999"}, ["KT432"]),
    ("producer", "librdkafka", "acks: 1, linger.ms: 40s, message.timeout.ms: 30s", AT_MOST,
     {"delivery.timeout.ms": "140000"}, ["KT405"]),
    ("producer", "librdkafka", "acks: 1, linger.ms: 400s, message.timeout.ms: 0", AT_MOST,
     {"delivery.timeout.ms": "0", "linger.ms": "400000"}, []),
]  # fmt: skip


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case[1]} {case[2]}")
def test_the_nearest_value_is_printed_and_a_rule_finds_it_once(declared, case):
    side, library, config, more, printed, found = case
    client, rules = declared(side, library, config, more)
    data = as_data(client, LIBRARIES[library])
    assert {name: data["config"].get(name) for name in printed} == printed
    assert rules == found


def test_a_library_without_a_default_that_adapts_keeps_the_promise_of_delivery(declared):
    client, _ = declared("producer", "librdkafka", "enable.idempotence: true, linger.ms: 15m", EXACTLY)
    config = as_data(client, LIBRARIES["librdkafka"])["config"]
    assert int(config["linger.ms"]) < int(config["delivery.timeout.ms"]) <= int(config["transaction.timeout.ms"])


def test_the_output_says_what_it_changed_and_why(declared):
    client, _ = declared("consumer", "kafka-python", "request_timeout_ms: 10m")
    assert (
        "    # kafka-python does not start otherwise: it expects connections_max_idle_ms of at least"
        " request_timeout_ms + 1\n    connections_max_idle_ms=600001,\n"
    ) in as_native(client)
    client, _ = declared("consumer", "librdkafka", "fetch.max.bytes: 900000")
    assert as_data(client, LIBRARIES["librdkafka"])["reasons"]["fetch.max.bytes"] == (
        "declared; 1000000 instead of 900000; librdkafka does not start otherwise: it expects fetch.max.bytes of at"
        " least message.max.bytes"
    )


def test_a_transactional_id_keeps_idempotence_at_most_once(declared):
    client, rules = declared("producer", "java", "transactional.id: foo", AT_MOST)
    text = as_properties(client)
    assert "enable.idempotence=true\n" in text
    assert "\ntransactional.id=foo\n" in text
    assert rules == []


@pytest.mark.parametrize(
    ("config", "found"),
    [
        ("transactional.id: foo, acks: 1", ["KT418"]),
        ("transactional.id: foo, acks: 1, enable.idempotence: false", ["KT432"]),
        ("transactional.id: foo, enable.idempotence: false", ["KT402"]),
    ],
)
def test_a_transactional_id_that_cannot_be_is_left_out_and_named(declared, config, found):
    client, rules = declared("producer", "java", config, AT_MOST)
    text = as_properties(client)
    assert "\ntransactional.id=" not in text
    assert "# note: transactional.id=foo: left out; the Java client does not start otherwise" in text
    assert rules == found


def test_settings_of_the_java_client_that_exclude_each_other(declared):
    client, rules = declared("consumer", "java", "group.protocol: classic, group.remote.assignor: uniform")
    assert "# note: group.remote.assignor=uniform: left out" in as_properties(client)
    assert rules == ["KT518"]
    two_phases = "transaction.two.phase.commit.enable: true, transaction.timeout.ms: 1m"
    client, rules = declared("producer", "java", two_phases, EXACTLY)
    assert "\ntransaction.timeout.ms=" not in as_properties(client)
    assert rules == ["KT432"]


def test_an_attempt_longer_than_any_transaction_is_named(declared):
    client, _ = declared("producer", "java", "linger.ms: 1000s", EXACTLY)
    assert "the broker aborts a transaction before one attempt is over" in as_properties(client)


def test_each_rule_that_a_relation_names_exists():
    known = {rule.id for rule in builtin_rules()}
    named = {each.found_by for library in LIBRARIES.values() for each in library.relations if each.found_by is not None}
    assert named
    assert named <= known
