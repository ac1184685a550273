"""A declared library: its names, its defaults, its partitioner, and how its settings are printed."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable

import pytest
import yaml
from kafka import KafkaConsumer, KafkaProducer

from kafka_topology.audit.observing.group_log import reading_committed
from kafka_topology.topology import Topology
from kafka_topology.topology.kafka.catalogue import VERSIONS, catalogue
from kafka_topology.topology.kafka.clients.code import as_native, suffix
from kafka_topology.topology.kafka.clients.formats import in_library
from kafka_topology.topology.kafka.clients.libraries import LIBRARIES
from kafka_topology.topology.kafka.clients.settings import client_settings
from kafka_topology.topology.kafka.effective import EffectiveSettings
from kafka_topology.topology.kafka.partitioners import PARTITIONERS
from kafka_topology.validators import run

Resolve = Callable[..., Topology]

HEAD = """\
version: 1
cluster: {kafka: "4.1", brokers: 3}
topics:
  orders: {partitions: 6, replication: 3, key: {type: string, partitioner: murmur2}}
"""


def producer(library: str, rest: str = "") -> str:
    return HEAD + f"producers:\n  p: {{topics: [orders], library: {library}{rest}}}\n"


def group(library: str, rest: str = "") -> str:
    return HEAD + f"consumerGroups:\n  g: {{topics: [orders], library: {library}{rest}}}\n"


def found(topology: Topology, rule: str) -> list[tuple[int, str, str]]:
    findings = run(topology, select=lambda each: each == rule).findings
    return [(each.location.column, each.message, each.fix) for each in findings]


def test_the_arguments_of_kafka_python_are_those_of_the_installed_one() -> None:
    library = LIBRARIES["kafka-python"]
    assert set(library.producer) == set(KafkaProducer.DEFAULT_CONFIG)
    assert set(library.consumer) == set(KafkaConsumer.DEFAULT_CONFIG)
    for settings, defaults in (
        (library.producer, KafkaProducer.DEFAULT_CONFIG),
        (library.consumer, KafkaConsumer.DEFAULT_CONFIG),
    ):
        for name, own in settings.items():
            actual = defaults[name]
            if own.form == "code":
                assert own.to_java(",".join(each.__name__ for each in actual)) == own.default, name
            elif own.default is not None and actual != float("inf"):
                assert own.to_java(str(actual).lower()) == own.default, name


@pytest.mark.parametrize("library", LIBRARIES.values(), ids=LIBRARIES)
def test_the_java_names_exist_and_the_partitioners_are_in_the_table(library) -> None:
    for side in ("producer", "consumer"):
        java = {name for version in VERSIONS for name in catalogue(version).scope(side)}
        named = {own.java for own in library.settings(side).values() if own.java is not None}
        if library.name != "librdkafka":  # it has settings of its own, which keep their names
            assert named - java <= {"client.rack"}
    assert {library.partitioner, *library.partitioners} <= set(PARTITIONERS)


@pytest.mark.parametrize("library", LIBRARIES.values(), ids=LIBRARIES)
def test_values_that_java_has_read_back_equal(library) -> None:
    for side in ("producer", "consumer"):
        for name, own in library.settings(side).items():
            if own.java is not None and own.default is not None:
                written = own.from_java(own.default)
                assert written is None or own.to_java(written) == own.default, name


@pytest.mark.parametrize(
    ("library", "acks", "idempotence"),
    [
        ("java", "all", "true"),
        ("spring", "all", "true"),
        ("librdkafka", "all", "false"),
        ("kafka-python", "all", "true"),
        ("aiokafka", "1", "false"),
        ("sarama", "1", "false"),
        ("franz-go", "all", "true"),
        ("kafka-go", "0", "false"),
        ("kafkajs", "all", "false"),
    ],
)
def test_defaults_are_those_of_the_library(resolve: Resolve, library: str, acks: str, idempotence: str) -> None:
    topology = resolve(producer(library))
    settings = EffectiveSettings(topology)
    held = settings.producer(topology.producers["p"], "acks")
    assert held is not None
    assert held.value == acks
    assert held.default_of == LIBRARIES[library].title
    held = settings.producer(topology.producers["p"], "enable.idempotence")
    assert held is not None
    assert held.value == idempotence
    assert len(found(topology, "KT401")) == (acks != "all")


def test_defaults_that_depend_on_idempotence(resolve: Resolve) -> None:
    topology = resolve(producer("librdkafka", ", config: {enable.idempotence: true}"))
    assert found(topology, "KT402") == found(topology, "KT403") == []
    in_flight = EffectiveSettings(topology).producer(topology.producers["p"], "max.in.flight.requests.per.connection")
    assert in_flight is not None
    assert in_flight.value == "5"
    transactional = resolve(producer("librdkafka", ", config: {transactional.id: p-0}"))
    assert found(transactional, "KT402") == []


@pytest.mark.parametrize(
    ("library", "setting", "fix"),
    [
        ("librdkafka", "acks: 1", "set acks to all, or declare"),
        ("kafka-python", "acks: 1", "set acks to all, or declare"),
        ("sarama", "Producer.RequiredAcks: WaitForLocal", "set Producer.RequiredAcks to WaitForAll"),
        ("franz-go", "RequiredAcks: LeaderAck", "set RequiredAcks to AllISRAcks"),
        ("kafka-go", "RequiredAcks: RequireOne", "set RequiredAcks to RequireAll"),
        ("kafkajs", "acks: 1", "set acks to -1"),
    ],
)
def test_a_declared_value_is_judged_at_its_place_under_its_own_name(
    resolve: Resolve, library: str, setting: str, fix: str
) -> None:
    text = producer(library, f", config: {{{setting}}}")
    ((column, message, advice),) = found(resolve(text), "KT401")
    line = text.splitlines()[5]
    assert line[column - 1 :].startswith(setting.split(": ")[1])
    assert message.startswith(f"p: {setting.replace(':', ' is')} with at-least-once delivery")
    assert fix in advice


def test_a_fix_is_written_in_the_words_of_the_library(resolve: Resolve) -> None:
    topology = resolve(producer("sarama", ", config: {Producer.RequiredAcks: WaitForLocal}"))
    (finding,) = run(topology, select=lambda each: each == "KT401").findings
    assert [edit.text for edit in finding.edits] == ["WaitForAll"]
    topology = resolve(producer("kafka-python", ", config: {enable_idempotence: false}"))
    (finding,) = run(topology, select=lambda each: each == "KT402").findings
    assert [edit.text for edit in finding.edits] == ["true"]


@pytest.mark.parametrize(
    ("library", "name", "fix"),
    [
        ("librdkafka", "max.request.size: 1MiB", "write message.max.bytes, as librdkafka calls it"),
        ("kafka-python", "linger.ms: 5", "write linger_ms, as kafka-python calls it"),
        ("sarama", "acks: all", "write Producer.RequiredAcks, as sarama calls it"),
        ("franz-go", "RequiredAck: LeaderAck", "did you mean RequiredAcks?"),
        ("kafkajs", "maxInFlightRequest: 1", "did you mean maxInFlightRequests?"),
    ],
)
def test_unknown_names_are_judged_against_the_right_list(resolve: Resolve, library: str, name: str, fix: str) -> None:
    topology = resolve(producer(library, f", config: {{{name}}}"))
    ((_, _, advice),) = found(topology, "KT430")
    assert advice == fix
    assert found(topology, "KT411") == []


def test_a_setting_of_java_is_still_judged_for_java_and_spring(resolve: Resolve) -> None:
    for library in ("java", "spring"):
        topology = resolve(producer(library, ", config: {linger_ms: 5}"))
        assert len(found(topology, "KT411")) == 1
        assert found(topology, "KT430") == []


def test_a_default_partitioner_that_differs_from_the_topics_is_a_finding(resolve: Resolve) -> None:
    ((column, message, _),) = found(resolve(producer("librdkafka")), "KT206")
    assert column == producer("librdkafka").splitlines()[5].index("librdkafka") + 1
    assert "places the keys of orders with librdkafka-consistent-random, but the topic declares murmur2" in message
    assert found(resolve(producer("librdkafka", ", partitioner: librdkafka-murmur2-random")), "KT206") == []
    assert found(resolve(producer("librdkafka", ", config: {partitioner: murmur2_random}")), "KT206") == []
    assert found(resolve(producer("kafkajs")), "KT206") == []
    assert len(found(resolve(producer("sarama")), "KT206")) == 1


def test_readers_are_judged_by_the_defaults_of_their_library(resolve: Resolve) -> None:
    transactional = "producers:\n  p: {topics: [orders], delivery: exactly-once, transactionalId: p-}\n"
    for library, count in (("librdkafka", 0), ("kafkajs", 0), ("sarama", 1), ("java", 1)):
        assert len(found(resolve(group(library) + transactional), "KT415")) == count, library
    assert len(found(resolve(group("kafka-python")), "KT502")) == 1
    assert found(resolve(group("kafka-python", ", config: {enable_auto_commit: false}")), "KT502") == []
    assert found(resolve(group("spring")), "KT502") == []
    ((_, message, _),) = found(resolve(group("franz-go")), "KT503")
    assert "franz-go's default, earliest, reads all existing records" in message
    assert found(resolve(group("sarama", ", config: {Consumer.Offsets.Initial: OffsetOldest}")), "KT503") == []


@pytest.mark.parametrize("library", LIBRARIES)
def test_settings_are_printed_as_the_library_takes_them(resolve: Resolve, library: str) -> None:
    topology = resolve(producer(library) + group(library, ", start: earliest").removeprefix(HEAD))
    for client in client_settings(topology):
        text = as_native(client)
        assert text.endswith("\n")
        if suffix(client) == "py":
            (call,) = (node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Call))
            assert {keyword.arg for keyword in call.keywords} <= set(LIBRARIES[library].settings(client.kind))
        if suffix(client) == "yaml":
            held = yaml.safe_load(text)["spring"]["kafka"][client.kind]["properties"]
            assert held.get("[acks]", "all") == "all"


def test_go_and_javascript_are_printed_with_reasons(resolve: Resolve) -> None:
    topology = resolve(producer("sarama", ", config: {Producer.Timeout: 90s, Producer.Return.Successes: true}"))
    text = as_native(client_settings(topology)[0])
    assert "config.Producer.RequiredAcks = sarama.WaitForAll\n" in text
    assert "config.Producer.Timeout = 90 * time.Second\n" in text
    assert "config.Producer.Return.Successes = true\n" in text
    topology = resolve(producer("franz-go", ", config: {ProducerLinger: 50ms}"))
    text = as_native(client_settings(topology)[0])
    assert "\tkgo.RequiredAcks(kgo.AllISRAcks()),\n" in text
    assert "\tkgo.ProducerLinger(50 * time.Millisecond),\n" in text
    text = as_native(client_settings(resolve(producer("kafkajs")))[0])
    assert "  idempotent: true,\n" in text
    assert "const sendOptions = {" in text


def test_static_ids_are_found_under_the_name_of_the_library(resolve: Resolve) -> None:
    text = group("kafka-python", ", members: 1, instances: [g-0], config: {group_instance_id: other}")
    ((column, message, _),) = found(resolve(text), "KT511")
    assert column == text.splitlines()[-1].index("other") + 1
    assert "group_instance_id is other, which is not listed" in message


def test_a_short_session_of_static_members_is_found_under_the_name_of_the_library(resolve: Resolve) -> None:
    text = group("kafka-python", ", config: {group_instance_id: g-0, session_timeout_ms: 10000}")
    assert len(found(resolve(text), "KT524")) == 1


def test_at_most_once_keeps_the_idempotence_that_a_library_declares(resolve: Resolve) -> None:
    text = producer("sarama", ", delivery: at-most-once, config: {Producer.Idempotent: true, Net.MaxOpenRequests: 3}")
    (client,) = client_settings(resolve(text))
    values = {item.name: (item.value, item.replaced) for item in client.properties}
    assert values["enable.idempotence"] == ("true", None)
    assert values["acks"] == ("all", None)
    assert values["max.in.flight.requests.per.connection"] == ("1", "3")


def test_the_default_of_the_library_decides_which_records_wait_for_a_group(resolve: Resolve) -> None:
    assert reading_committed(resolve(group("librdkafka"))) == {"g"}
    assert reading_committed(resolve(group("librdkafka", ", config: {isolation.level: read_uncommitted}"))) == set()
    assert reading_committed(resolve(group("java"))) == set()


JAVA_NAME = re.compile(r"(?<![\w.-])[a-z]+(?:\.[a-z]+)+(?![\w-]|\.\w)")
LIMITS = "{transaction.max.timeout.ms: 20s}"


@pytest.mark.parametrize(
    "library", [each for each in LIBRARIES.values() if not each.has_java_names], ids=lambda x: x.name
)
@pytest.mark.parametrize("defaults", ["{}", LIMITS])
def test_reasons_and_notes_name_only_settings_that_the_library_has(resolve: Resolve, library, defaults: str) -> None:
    text = HEAD.replace("brokers: 3}", f"brokers: 3, defaults: {defaults}}}")
    roles = {"producers": "", "consumerGroups": ", start: earliest, maxProcessingTime: 10m"}
    for section, rest in roles.items():
        text += f"{section}:\n"
        for delivery in ("at-most-once", "at-least-once", "exactly-once"):
            text += (
                f"  {section}-{delivery}: {{topics: [orders], library: {library.name}, delivery: {delivery}{rest}}}\n"
            )
    for client in client_settings(resolve(text)):
        side = "producer" if client.kind == "producer" else "consumer"
        of_java, own = catalogue("4.1").scope(side), set(library.settings(side))
        settings, notes = in_library(client, library)
        # A note about a setting that it does not have begins with its name.
        texts = [*(item.reason for item in settings), *(re.sub(r"^[a-z.]+(=|: )", "", note) for note in notes)]
        named = {name for text in texts for name in JAVA_NAME.findall(text)}
        assert {name for name in named if name in of_java and name not in own} == set()


def test_one_attempt_takes_what_the_library_waits(resolve: Resolve) -> None:
    def said(library: str) -> str:
        settings, notes = in_library(client_settings(resolve(producer(library)))[0], LIBRARIES[library])
        return next(text for text in [*(item.reason for item in settings), *notes] if "one attempt" in text)

    assert "Producer.Flush.Frequency + Producer.Timeout (10s)" in said("sarama")
    assert "has no such limit, and retries Producer.Retry.Max times" in said("sarama")
    assert "takes up to timeout (30s)" in said("kafkajs")
    assert "ProducerLinger + ProduceRequestTimeout (10010ms)" in said("franz-go")
    assert "linger_ms + request_timeout_ms (40s)" in said("aiokafka")


def test_the_attempts_of_kafka_go_count_the_first_one(resolve: Resolve) -> None:
    (client,) = client_settings(resolve(producer("kafka-go", ", delivery: at-most-once")))
    assert "MaxAttempts: 1," in as_native(client)
    (finding,) = found(resolve(producer("kafka-go", ", config: {MaxAttempts: 1, RequiredAcks: RequireAll}")), "KT404")
    assert "a record is lost" in finding[1]
    assert not found(resolve(producer("kafka-go", ", config: {MaxAttempts: 0, RequiredAcks: RequireAll}")), "KT404")
