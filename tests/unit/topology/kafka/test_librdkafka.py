"""The names of librdkafka's settings that the Java clients do not have, compared with the library itself."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from confluent_kafka import Consumer, KafkaException, Producer

from kafka_topology.topology import Finding, Severity, load
from kafka_topology.topology.kafka.catalogue import VERSIONS, catalogue
from kafka_topology.topology.kafka.clients.libraries.librdkafka import LIBRDKAFKA
from kafka_topology.validators import run

NEWEST = catalogue(VERSIONS[-1])
OF_PRODUCERS = sorted(LIBRDKAFKA.producer.keys() - NEWEST.producer.keys())
OF_CONSUMERS = sorted(LIBRDKAFKA.consumer.keys() - NEWEST.consumer.keys())
FILE = """\
version: 1
topics:
  orders: {partitions: 6, replication: 3}
"""


def is_known(name: str, client: type[Producer | Consumer]) -> bool:
    """librdkafka refuses a value of another type, but says so only of settings that it knows."""
    try:
        client({"bootstrap.servers": "localhost:1", "group.id": "g", name: "no such value"})
    except (KafkaException, TypeError) as error:
        return "No such configuration property" not in str(error)
    return True


@pytest.mark.parametrize("name", OF_PRODUCERS)
def test_a_producer_of_librdkafka_has_it(name: str) -> None:
    assert is_known(name, Producer)


@pytest.mark.parametrize("name", OF_CONSUMERS)
def test_a_consumer_of_librdkafka_has_it(name: str) -> None:
    assert is_known(name, Consumer)


def test_an_unknown_name_is_not_known() -> None:
    assert not is_known("no.such.setting", Producer)


def unknown(tmp_path, client: str) -> list[Finding]:
    (tmp_path / "topology.yaml").write_text(FILE + client)
    topology = load(tmp_path).topology
    assert topology is not None
    return [each for each in run(topology).findings if each.id in ("KT411", "KT430")]


def test_a_name_of_librdkafka_is_an_advice_to_declare_the_library(tmp_path) -> None:
    (found,) = unknown(
        tmp_path, "consumerGroups:\n  billing: {topics: [orders], config: {enable.partition.eof: true}}\n"
    )
    assert (found.id, found.severity) == ("KT411", Severity.ADVICE)
    assert "library: librdkafka" in found.message


def test_a_client_that_declares_a_library_is_not_asked_which_one_it_is(tmp_path) -> None:
    client = "consumerGroups:\n  billing: {topics: [orders], library: @, config: {enable.partition.eof: true}}\n"
    assert unknown(tmp_path, client.replace("@", "librdkafka")) == []
    (found,) = unknown(tmp_path, client.replace("@", "java"))
    assert (found.id, found.severity) == ("KT411", Severity.ERROR)


@pytest.mark.parametrize(
    "client",
    [
        "producers:\n  checkout: {topics: [orders], config: {client.rack: a}}\n",
        "consumerGroups:\n  billing: {topics: [orders], config: {max.in.flight.requests.per.connection: 1}}\n",
    ],
)
def test_a_setting_of_the_other_java_client_stays_an_error(tmp_path, client: str) -> None:
    """librdkafka takes it on both sides, but so does nobody who means Java."""
    (found,) = unknown(tmp_path, client)
    assert found.severity is Severity.ERROR
    assert "not of a" in found.message


def words() -> Iterator[tuple[str, str, str]]:
    """Side, setting and a value, for all settings that take words, under all of their names."""
    for side, known in (("producer", LIBRDKAFKA.producer), ("consumer", LIBRDKAFKA.consumer)):
        for name, own in known.items():
            key = own.key
            if key is None or not key.choices or name == "delivery.report.only.error":  # Python's binding wants a bool
                continue
            texts = {*key.choices, "all", "none", "yes", "on", "2000000000000"}
            yield from ((side, name, text) for text in sorted(texts | {text.upper() for text in texts}))


def test_each_word_is_taken_if_librdkafka_takes_it() -> None:
    """`acks: all`, and `enable.auto.commit: 1`: not all are in librdkafka's own table."""
    wrong = []
    for side, name, text in words():
        own = LIBRDKAFKA.settings(side)[name]
        taken = own.key is not None and own.key.problem(text) is None
        client = Producer if side == "producer" else Consumer
        try:
            client({"bootstrap.servers": "localhost:1", "group.id": "g", "log_level": 0, name: text})
            refused = ""
        except (KafkaException, ValueError) as error:
            refused = str(error)
        is_value = any(each in refused for each in ("Invalid value", "outside allowed range", "Expected bool"))
        if taken == is_value:
            wrong.append((side, name, text, refused))
    assert wrong == []


@pytest.mark.parametrize("setting", ["acks: all", "request.required.acks: ALL", 'enable.idempotence: "1"'])
def test_a_word_of_librdkafka_is_no_finding(tmp_path, setting: str) -> None:
    file = tmp_path / "topology.yaml"
    file.write_text(FILE + f"producers:\n  a: {{library: librdkafka, topics: [orders], config: {{{setting}}}}}\n")
    topology = load(file).topology
    assert topology is not None
    assert not [finding for finding in run(topology).findings if finding.id in ("KT431", "KT401")]
