"""Fixes name the settings of the client's own library, with its own values, or say that it has none."""

from __future__ import annotations

import pytest

from kafka_topology.topology import load
from kafka_topology.validators import validate

TOPOLOGY = """\
version: 1
topics:
  orders: {partitions: 6, replication: 3}
producers:
  checkout: {topics: [orders], library: PRODUCER}
consumerGroups:
  billing: {topics: [orders], start: earliest, library: CONSUMER}
"""


@pytest.fixture
def fixes(tmp_path):
    """The fixes of one rule for a producer and a group that are declared with these fields."""

    def found(rule, *, producer="java", consumer="java"):
        file = tmp_path / "topology.yaml"
        file.write_text(TOPOLOGY.replace("PRODUCER", producer).replace("CONSUMER", consumer))
        loaded = load(file)
        assert loaded.topology is not None, loaded.problems
        return [finding.fix for finding in validate(loaded.topology) if finding.id == rule]

    return found


@pytest.mark.parametrize(
    ("producer", "expected"),
    [
        ("java, config: {enable.idempotence: false}", "remove enable.idempotence, or set it to true"),
        ("librdkafka, config: {enable.idempotence: false}", "set enable.idempotence to true"),
        ("sarama, config: {Producer.RequiredAcks: WaitForAll}", "set Producer.Idempotent to true"),
        ("kafkajs", "set idempotent to true"),
        ("franz-go, config: {DisableIdempotentWrite: true}", "remove DisableIdempotentWrite"),
    ],
)
def test_idempotence(fixes, producer, expected):
    assert fixes("KT402", producer=producer) == [expected]


def test_settings_that_are_refused_together(fixes):
    declared = "librdkafka, config: {fetch.max.bytes: 1000}"
    assert fixes("KT432", consumer=declared) == ["set fetch.max.bytes to 1000000"]


def test_requests_in_flight(fixes):
    declared = "kafkajs, config: {idempotent: true, maxInFlightRequests: 6}"
    assert fixes("KT431", producer=declared) == ["set maxInFlightRequests to 1"]
    assert fixes("KT403", producer=declared) == []


@pytest.mark.parametrize(
    ("producer", "expected"),
    [
        ("librdkafka, config: {acks: 1}", "set acks to all"),
        ("sarama", "set Producer.RequiredAcks to WaitForAll"),
        ("kafkajs, config: {acks: 1}", "set acks to -1"),
    ],
)
def test_acks(fixes, producer, expected):
    [fix] = fixes("KT401", producer=producer)
    assert fix == f"{expected}, or declare `delivery: at-most-once` if records may be lost"


@pytest.mark.parametrize(
    ("consumer", "expected"),
    [
        ("java", "set group.protocol to consumer, or set partition.assignment.strategy to org.apache.kafka.clients."),
        (
            "librdkafka",
            "set group.protocol to consumer, or set partition.assignment.strategy to cooperative-sticky alone: stop",
        ),
        ("kafka-python", "set partition_assignment_strategy to CooperativeStickyAssignor alone: stop all members"),
        (
            "sarama",
            "set Consumer.Group.Rebalance.GroupStrategies to NewBalanceStrategyCooperativeSticky() alone: in two",
        ),
        (
            "franz-go, config: {Balancers: [kgo.CooperativeStickyBalancer(), RangeBalancer]}",
            "set ServerSideBalancer to true, or set Balancers to CooperativeStickyBalancer() alone: one rolling",
        ),
        ("aiokafka", "aiokafka has no cooperative assignor"),
        ("kafka-go", "kafka-go has no cooperative assignor"),
        ("kafkajs", "KafkaJS has no cooperative assignor"),
    ],
)
def test_assignors(fixes, consumer, expected):
    [fix] = fixes("KT509", consumer=consumer)
    assert fix.startswith(expected)


@pytest.mark.parametrize(
    "consumer",
    [
        "franz-go",
        "franz-go, config: {ServerSideBalancer: true, Balancers: RangeBalancer()}",
        "kafka-python, config: {partition_assignment_strategy: [CooperativeStickyAssignor]}",
        "sarama, config: {Consumer.Group.Rebalance.Strategy: sarama.NewBalanceStrategyCooperativeSticky()}",
    ],
)
def test_cooperative_assignors(fixes, consumer):
    assert fixes("KT509", consumer=consumer) == []


def test_classes_of_java_are_nothing_for_other_libraries(fixes):
    named = "config: {partitioner.class: org.apache.kafka.clients.producer.UniformStickyPartitioner}"
    assert fixes("KT419", producer=f"java, {named}")
    assert fixes("KT419", producer=f"spring, {named}")
    assert not fixes("KT419", producer=f"kafkajs, {named}")
    assert not fixes("KT419", producer=f"librdkafka, {named}")


@pytest.mark.parametrize(
    ("consumer", "expected"),
    [
        ("kafkajs, delivery: exactly-once", "set autoCommit to false"),
        ("franz-go", "set DisableAutoCommit to true"),
        ("librdkafka", "set enable.auto.commit to false"),
        ("kafka-python", "set enable_auto_commit to false"),
    ],
)
def test_auto_commit(fixes, consumer, expected):
    [fix] = fixes("KT502", consumer=consumer)
    assert fix.startswith(f"{expected}, and commit")


@pytest.mark.parametrize(
    "consumer",
    [
        "kafkajs",
        "librdkafka, config: {enable.auto.offset.store: false}",
        "franz-go, config: {AutoCommitMarks: true}",
    ],
)
def test_auto_commit_of_what_was_processed_is_at_least_once(fixes, consumer):
    assert fixes("KT502", consumer=consumer) == []


@pytest.mark.parametrize(
    ("consumer", "expected"),
    [
        ("librdkafka, maxProcessingTime: 10m", "raise max.poll.interval.ms to 750s, or process records faster"),
        ("kafkajs, maxProcessingTime: 10m", "raise sessionTimeout to 750s, or call heartbeat() while a record is"),
        ("aiokafka, maxProcessingTime: 10m", "raise max_poll_interval_ms to 750s"),
        ("java, maxProcessingTime: forever", "declare the longest time that a record takes"),
        ("java, maxProcessingTime: 1s", "set max.poll.records to 240, which leaves some room, or max.poll.interval.ms"),
        ("kafka-python, maxProcessingTime: 1s", "set max_poll_records to 240"),
    ],
)
def test_slow_records(fixes, consumer, expected):
    [fix] = fixes("KT523", consumer=consumer)
    assert fix.startswith(expected)


@pytest.mark.parametrize("library", ["sarama", "franz-go", "kafka-go"])
def test_libraries_that_do_not_watch_the_loop(fixes, library):
    assert fixes("KT523", consumer=f"{library}, maxProcessingTime: 10m") == []


def test_a_finding_about_a_topic_names_the_limit_of_its_reader_as_the_library_does(tmp_path):
    text = TOPOLOGY.replace("replication: 3}", "replication: 3, config: {max.message.bytes: 20MiB}}")
    file = tmp_path / "large.yaml"
    file.write_text(text.replace("PRODUCER", "java").replace("CONSUMER", "kafkajs"))
    [finding] = [each for each in validate(load(file).topology) if each.id == "KT309"]
    assert finding.resource == "orders"
    assert "above maxBytes of group billing of 10MiB" in finding.message
    assert finding.fix.endswith("raise maxBytes of group billing")
