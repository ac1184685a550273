"""Every emitted client configuration is accepted by the constructors of the real clients."""

from __future__ import annotations

import json
import os
import re
import subprocess
from dataclasses import replace

import pytest
from client_matrix.builds import Unavailable, built, with_maven
from confluent_kafka import Consumer, KafkaException, Producer
from emitted import emitted
from kafka import KafkaConsumer, KafkaProducer
from kafka.coordinator.assignors.cooperative_sticky import CooperativeStickyAssignor
from kafka.coordinator.assignors.range import RangePartitionAssignor
from kafka.errors import KafkaConfigurationError, KafkaTimeoutError
from odd_clients import odd_clients

from kafka_topology.topology import load
from kafka_topology.topology.kafka.clients.assignors import COOPERATIVE
from kafka_topology.topology.kafka.clients.code import as_native
from kafka_topology.topology.kafka.clients.formats import as_librdkafka, as_properties
from kafka_topology.topology.kafka.clients.libraries import LIBRARIES
from kafka_topology.topology.kafka.clients.model import Client, Property
from kafka_topology.topology.kafka.clients.settings import client_settings

BOOTSTRAP = {"bootstrap.servers": "127.0.0.1:1"}
# Logins are secrets, which a topology does not hold.
LOGIN = {"sasl.username": "u", "sasl.password": "p"}
JAAS = 'org.apache.kafka.common.security.scram.ScramLoginModule required username="u" password="p";'
# A class of the application, or one of an earlier release that its file still names.
FOREIGN_CLASS = re.compile(r"Class (\S+) could not be found")

# The page of KT545 is about settings that Kafka Streams refuses: an upgrade from 2.3 (fine before Kafka 4), an address
# without a port, and a tag that is too long.
REFUSED_BY_STREAMS = ("KT545, example 3", "KT545, example 6", "KT545, example 9", "KT545, example 10")


@pytest.fixture(scope="module")
def java():
    """Asks Java about many clients at once."""
    try:
        folder = built("constructors", "constructors", with_maven)
    except Unavailable as why:
        pytest.skip(str(why))

    def ask(clients):
        lines = []
        for client in clients:
            sasl = any(item.value.upper().startswith("SASL_") for item in client.properties)
            more = BOOTSTRAP | ({"sasl.jaas.config": JAAS} if sasl else {})
            lines.append(json.dumps({"kind": client.kind, "text": as_properties(client), "more": more}))
        command = ["java", "-cp", f"{folder}/*", str(folder / "Construct.java")]
        done = subprocess.run(command, input="\n".join(lines), capture_output=True, text=True, timeout=300, check=False)
        answers = done.stdout.splitlines()
        assert len(answers) == len(lines), done.stderr[-2000:]
        return answers

    return ask


def refused_by_librdkafka(client):
    config = {**as_librdkafka(client)["config"], **BOOTSTRAP, "log_level": 0}
    if config.get("security.protocol", "").lower().startswith("sasl_"):
        config |= LOGIN
    try:
        (Producer if client.kind == "producer" else Consumer)(config)
    except (KafkaException, TypeError, ValueError) as error:
        return str(error)
    return None


def test_librdkafka_takes_every_emitted_configuration(tmp_path):
    each = [(name, client) for name, client in emitted(tmp_path) if client.kind in ("producer", "consumer")]
    assert len(each) > 300
    refused = {name: why for name, client in each if (why := refused_by_librdkafka(client)) is not None}
    assert refused == {}


def names_a_declared_class(client, answer):
    """Whether Java misses a class that the file declares. One that we print by ourselves must exist."""
    missing = FOREIGN_CLASS.search(answer)
    declared = {item.value for item in client.properties if item.reason == "declared"}
    return missing is not None and missing[1].rstrip(".") in declared


def test_only_a_declared_class_may_be_missing():
    answer = "Invalid value a.Missing for configuration partitioner.class: Class a.Missing could not be found."
    given = Property("partitioner.class", "a.Missing", "declared", is_needed=False)
    assert names_a_declared_class(Client("producer", "p", (given,)), answer)
    for other in (replace(given, reason="keeps keys together"), replace(given, value="a.Other")):
        assert not names_a_declared_class(Client("producer", "p", (other,)), answer)
    assert not names_a_declared_class(Client("producer", "p", (given,)), "acks could not be found")


def test_the_java_clients_take_every_emitted_configuration(java, tmp_path):
    each = list(emitted(tmp_path))
    assert {client.kind for _, client in each} == {"producer", "consumer", "share-consumer", "streams"}
    answers = java([client for _, client in each])
    refused = {
        name: answer
        for (name, client), answer in zip(each, answers, strict=True)
        if answer != "ok" and not names_a_declared_class(client, answer)
    }
    assert refused.keys() == {f"{name}: streams summing" for name in REFUSED_BY_STREAMS}, refused


HARD = {
    "producer": {
        "compression.type": "zstd", "compression.gzip.level": "9", "compression.zstd.level": "22", "batch.size": "0",
        "connections.max.idle.ms": "-1", "metadata.max.age.ms": "0", "max.request.size": "10", "retry.backoff.ms": "0",
        "reconnect.backoff.max.ms": "1", "send.buffer.bytes": "-1", "sasl.kerberos.kinit.cmd": "/usr/bin/kinit",
        "security.protocol": "SSL", "ssl.endpoint.identification.algorithm": "",
        "ssl.cipher.suites": "TLS_AES_256_GCM_SHA384,TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384",
        "linger.ms": "1000000", "max.block.ms": "2147483648",
    },
    "consumer": {
        "fetch.min.bytes": "0", "fetch.max.bytes": "1", "connections.max.idle.ms": "-1", "request.timeout.ms": "0",
        "partition.assignment.strategy": "org.apache.kafka.clients.consumer.RangeAssignor,"
        "org.apache.kafka.clients.consumer.CooperativeStickyAssignor",
        "max.poll.interval.ms": "1000", "fetch.max.wait.ms": "2147483647", "max.poll.records": "2147483648",
    },
}  # fmt: skip


@pytest.fixture
def hard(tmp_path):
    file = tmp_path / "topology.yaml"
    roles = {
        "producers": {"w": {"topics": ["a"], "config": HARD["producer"]}},
        "consumerGroups": {"g": {"topics": ["a"], "config": HARD["consumer"]}},
    }
    document = {"version": 1, "topics": {"a": {"partitions": 1, "replication": 1}}, **roles}
    file.write_text(json.dumps(document))
    topology = load(file).topology
    assert topology is not None
    return client_settings(topology)


def test_what_only_one_client_takes_is_translated_or_named(hard, java):
    producer, consumer = hard
    assert [refused_by_librdkafka(client) for client in hard] == [None, None]
    assert java(hard) == ["ok", "ok"]
    config = as_librdkafka(producer)["config"]
    assert config["compression.level"] == "12"
    assert config["batch.size"] == "1"
    assert config["connections.max.idle.ms"] == "0"  # never
    assert config["ssl.cipher.suites"] == "ECDHE-RSA-AES256-GCM-SHA384"
    assert config["ssl.endpoint.identification.algorithm"] == "none"
    named = " ".join(as_librdkafka(producer)["notes"])
    for name in ("compression.gzip.level", "sasl.kerberos.kinit.cmd", "max.block.ms=2147483648"):
        assert name in named
    assert as_librdkafka(consumer)["config"]["partition.assignment.strategy"] == "range"
    assert as_librdkafka(consumer)["config"]["fetch.min.bytes"] == "1"
    reasons = as_librdkafka(consumer)["reasons"]
    assert "0 for librdkafka: it takes 1 or more" in reasons["fetch.min.bytes"]


def test_the_broker_takes_the_transactions_of_a_long_delivery(kafka, tmp_path):
    """With a longer transaction.timeout.ms than the broker allows, the error is fatal."""
    (tmp_path / "topology.yaml").write_text("""\
version: 1
topics: {orders: {partitions: 1, replication: 3}}
producers:
  pay: {topics: [orders], delivery: exactly-once, transactionalId: pay-, config: {delivery.timeout.ms: 20m}}
""")
    topology = load(tmp_path / "topology.yaml").topology
    assert topology is not None
    (client,) = client_settings(topology)
    config = {**as_librdkafka(client)["config"], "bootstrap.servers": kafka.bootstrap_servers}
    producer = Producer(config)
    producer.init_transactions(30)
    refused = Producer(config | {"delivery.timeout.ms": "1200000", "transaction.timeout.ms": "1200000"})
    with pytest.raises(KafkaException, match="INVALID_TRANSACTION_TIMEOUT"):
        refused.init_transactions(30)


def test_kafka_python_and_librdkafka_offer_the_assignors_that_the_table_says(kafka):
    """Both refuse eager and cooperative assignors together, so a running group cannot change over by restarts."""
    eager, cooperative = RangePartitionAssignor, CooperativeStickyAssignor
    library = LIBRARIES["kafka-python"]
    own = library.consumer["partition_assignment_strategy"]
    arguments = {"bootstrap_servers": kafka.bootstrap_servers, "group_id": "assignors"}
    consumer = KafkaConsumer(**arguments)
    try:
        offered = [type(assignor).__name__ for assignor in consumer._coordinator._assignors.values()]
    finally:
        consumer.close()
    assert own.to_java(",".join(offered)) == own.default
    assert own.to_java(cooperative.__name__) == COOPERATIVE
    KafkaConsumer(**arguments, partition_assignment_strategy=[cooperative]).close()
    assert not library.mixes_assignors
    with pytest.raises(KafkaConfigurationError, match="common RebalanceProtocol"):
        KafkaConsumer(**arguments, partition_assignment_strategy=[cooperative, eager])
    assert not LIBRARIES["librdkafka"].mixes_assignors
    with pytest.raises(KafkaException, match=r"partition\.assignment\.strategy"):
        Consumer({**BOOTSTRAP, "group.id": "g", "partition.assignment.strategy": "cooperative-sticky,range"})


# The same clients in each run; KAFKA_TOPOLOGY_CLIENT_SEED=… tries others.
SEED = int(os.environ.get("KAFKA_TOPOLOGY_CLIENT_SEED") or 20)
REFUSED_ANYWAY = "does not start with these settings"


def unexcused(refused, number):
    """What we say ourselves that it does not start may be refused, but in few of so many clients."""
    excused = [each for each in refused if REFUSED_ANYWAY in as_native(each[1])]
    assert len(excused) <= number // 50, f"{SEED=} {excused}"
    return [(declared, why) for declared, client, why in refused if REFUSED_ANYWAY not in as_native(client)]


def test_librdkafka_takes_what_is_printed_for_settings_that_contradict_each_other(tmp_path):
    clients = odd_clients("librdkafka", tmp_path, 150, SEED)
    refused = [
        (declared, client, why) for declared, client in clients if (why := refused_by_librdkafka(client)) is not None
    ]
    assert unexcused(refused, len(clients)) == [], f"{SEED=}"


def test_the_java_client_takes_what_is_printed_for_settings_that_contradict_each_other(java, tmp_path):
    clients = odd_clients("java", tmp_path, 60, SEED)
    answers = zip(clients, java([client for _, client in clients]), strict=True)
    refused = [(declared, client, answer) for (declared, client), answer in answers if answer != "ok"]
    assert unexcused(refused, len(clients)) == [], f"{SEED=}"


def refused_by_kafka_python(kafka, client):
    made = KafkaProducer if client.kind == "producer" else KafkaConsumer
    config = {"bootstrap_servers": kafka.bootstrap_servers, "bootstrap_timeout_ms": 30_000}
    names = {"CooperativeStickyAssignor": CooperativeStickyAssignor}
    # Without a limit, a client with odd timeouts waits for its thread as long as it likes.
    longest = {"timeout": 10} if made is KafkaProducer else {"timeout_ms": 10_000}

    def construct(**given):
        try:
            made(**{**given, **config}).close(**longest)
        except (KafkaConfigurationError, ValueError) as error:
            return str(error)
        except KafkaTimeoutError:
            return None  # it took the settings, and some of them are too short to connect with
        return None

    found = {}
    exec(as_native(client), {made.__name__: construct, **names}, found)  # noqa: S102 - our own output
    return found[client.kind]


def test_kafka_python_takes_what_is_printed_for_settings_that_contradict_each_other(kafka, tmp_path):
    clients = odd_clients("kafka-python", tmp_path, 20, SEED)
    refused = [
        (declared, client, why)
        for declared, client in clients
        if (why := refused_by_kafka_python(kafka, client)) is not None
    ]
    assert unexcused(refused, len(clients)) == [], f"{SEED=}"
