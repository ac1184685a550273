"""Topics that are unlike the others, on a real broker: each is read exactly."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TYPE_CHECKING

from confluent_kafka import Consumer, Producer, TopicPartition
from confluent_kafka.admin import AdminClient, NewPartitions

from kafka_topology.spark_checks import check
from kafka_topology.spark_checks.reading.reader import KafkaReader
from kafka_topology.spark_checks.results.report import CheckResult, TopicReport
from kafka_topology.topology.kafka.partitioners import HASH_PARTITIONERS
from kafka_topology.topology.model.declared import Key, Topology

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

Declare = Callable[..., Topology]
CreateTopic = Callable[..., str]
MURMUR2 = HASH_PARTITIONERS["murmur2"]
KEY = Key("string", nulls="allowed")


def result(report: TopicReport, check_id: str) -> CheckResult:
    return next(each for each in report.results if each.check == check_id)


def place(key: bytes, partitions: int) -> int:
    found = MURMUR2.partition(key, partitions)
    assert isinstance(found, int)
    return found


def read_all(bootstrap: str, topic: str, partitions: int) -> list[tuple[int, int]]:
    """Partition and offset of every record, by a plain consumer."""
    consumer = Consumer({"bootstrap.servers": bootstrap, "group.id": topic, "enable.partition.eof": True})
    consumer.assign([TopicPartition(topic, partition, 0) for partition in range(partitions)])
    found, ended, deadline = [], 0, time.monotonic() + 60
    while ended < partitions:
        assert time.monotonic() < deadline
        message = consumer.poll(1)
        if message is None:
            continue
        if message.error() is None:
            found.append((message.partition(), message.offset()))
        else:
            ended += 1  # the end of a partition
    consumer.close()
    return found  # type: ignore[return-value]


def test_a_compacted_topic(spark: SparkSession, bootstrap: str, declare: Declare, create_topic: CreateTopic) -> None:
    config = {"cleanup.policy": "compact", "min.cleanable.dirty.ratio": "0.01", "segment.bytes": "1048576"}
    name = create_topic(2, config | {"segment.ms": "100", "min.compaction.lag.ms": "0"})
    producer = Producer({"bootstrap.servers": bootstrap})
    began = int(time.time() * 1000) - 60_000
    written = 0

    def write(key: bytes, partition: int, version: int) -> None:
        nonlocal written
        producer.produce(name, b"%d" % version, key, partition, timestamp=began + 1_000 * version)
        written += 1

    for version in range(8):
        for number in range(50):
            key = b"key-%d" % number
            # One key lies in the other partition, in its last version only.
            write(key, (place(key, 2) + (number == 7 and version == 7)) % 2, version)
        # A batch of its own, and a second later: that opens a segment, and only closed ones are compacted.
        assert producer.flush(30) == 0
    for partition in (0, 1):
        write(b"", partition, 9)
    assert producer.flush(30) == 0
    deadline = time.monotonic() + 120
    while len(kept := read_all(bootstrap, name, 2)) > written // 2:
        assert time.monotonic() < deadline, "the broker did not compact"
        time.sleep(1)
    topology = declare(name, 2, key=KEY, config={"cleanup.policy": "compact"})
    (report,) = check(spark, topology, bootstrap_servers=bootstrap).topics
    assert sum(each.pinned.end - each.pinned.start for each in report.ranges) == written
    # Compaction may go on between the two readers; it only ever takes away.
    assert len(read_all(bootstrap, name, 2)) <= report.records <= len(kept)
    # The last of each key in a partition stays: key-7 in the wrong one, and the empty key in one too many.
    placement = result(report, "placement")
    assert placement.violations == 2
    assert {each.expected_partition for each in placement.examples} == {place(b"key-7", 2), place(b"", 2)}


def test_transactions_leave_gaps_and_open_ones_are_not_read(
    spark: SparkSession, bootstrap: str, declare: Declare, create_topic: CreateTopic
) -> None:
    name = create_topic(1)
    settings = {"bootstrap.servers": bootstrap, "log_level": 0}
    for number, end in enumerate(("commit", "abort", "commit", None)):
        producer = Producer({**settings, "transactional.id": f"{name}-{number}"})
        producer.init_transactions(30)
        producer.begin_transaction()
        for each in range(20):
            producer.produce(name, b"{}", b"key-%d" % each)
        producer.flush(30)
        if end == "commit":
            producer.commit_transaction(30)
        elif end == "abort":
            producer.abort_transaction(30)
    (report,) = check(spark, declare(name, 1, key=KEY), bootstrap_servers=bootstrap).topics
    (scanned,) = report.ranges
    # Three ended transactions with a marker each; the open one is behind the last stable offset.
    assert (scanned.pinned.start, scanned.pinned.end) == (0, 63)
    assert (report.records, report.violations) == (40, 0)
    producer.abort_transaction(30)


def test_topics_without_records(
    spark: SparkSession, bootstrap: str, declare: Declare, create_topic: CreateTopic
) -> None:
    never, emptied = create_topic(2), create_topic(2)
    producer = Producer({"bootstrap.servers": bootstrap})
    for _ in range(5):
        producer.produce(emptied, b"{}", b"key", 0)
    assert producer.flush(30) == 0
    admin = AdminClient({"bootstrap.servers": bootstrap})
    next(iter(admin.delete_records([TopicPartition(emptied, 0, 5)]).values())).result(30)
    for name, bounds in ((never, (0, 0)), (emptied, (5, 5))):
        (report,) = check(spark, declare(name, 2, key=KEY), bootstrap_servers=bootstrap).topics
        assert (report.records, report.violations, report.unreadable) == (0, 0, None)
        assert (report.ranges[0].pinned.start, report.ranges[0].pinned.end) == bounds
        assert result(report, "placement").status == "exact"


def test_what_happens_between_pinning_and_reading(
    spark: SparkSession, bootstrap: str, declare: Declare, create_topic: CreateTopic
) -> None:
    name = create_topic(2)
    producer = Producer({"bootstrap.servers": bootstrap})
    for number in range(100):
        key = b"key-%d" % number
        producer.produce(name, b"{}", key, place(key, 2))
    assert producer.flush(30) == 0
    reader = KafkaReader({"bootstrap.servers": bootstrap})
    pinned = reader.pin([name])[name]
    admin = AdminClient({"bootstrap.servers": bootstrap})
    admin.create_partitions([NewPartitions(name, 3)])[name].result(30)
    # All of one partition and some of the other are deleted, more is written, and a partition is added.
    delete = [TopicPartition(name, 0, -1), TopicPartition(name, 1, 5)]
    for future in admin.delete_records(delete).values():
        future.result(30)
    for _ in range(10):
        producer.produce(name, b"{}", b"misplaced anyway", 0)
    assert producer.flush(30) == 0
    (report,) = check(spark, declare(name, 2, key=KEY), reader=reader).topics
    first, second = report.ranges
    assert [each.pinned for each in report.ranges] == list(pinned.ranges)  # type: ignore[union-attr]
    assert (first.records, first.deleted_to) == (0, first.pinned.end)
    assert (second.records, second.deleted_to) == (second.pinned.end - 5, 5)
    assert (report.records, report.violations) == (second.pinned.end - 5, 0)


def test_a_record_of_ten_megabytes(
    spark: SparkSession, bootstrap: str, declare: Declare, create_topic: CreateTopic
) -> None:
    name = create_topic(2, {"max.message.bytes": str(11 << 20)})
    producer = Producer({"bootstrap.servers": bootstrap, "message.max.bytes": 11 << 20})
    for number in range(6):
        key = b"key-%d" % number
        producer.produce(name, b"x" * (10 << 20) if number == 3 else b"x", key, (place(key, 2) + (number == 3)) % 2)
    assert producer.flush(60) == 0
    (report,) = check(spark, declare(name, 2, key=KEY), bootstrap_servers=bootstrap).topics
    assert (report.records, report.unreadable) == (6, None)
    assert result(report, "placement").violations == 1
    assert sum(each.bytes for each in report.ranges) == (10 << 20) + 5 + 6 * len(b"key-0")


def test_a_thousand_partitions(
    spark: SparkSession, bootstrap: str, declare: Declare, create_topic: CreateTopic
) -> None:
    name = create_topic(1_000)
    producer = Producer({"bootstrap.servers": bootstrap})
    filled = set()
    for number in range(400):
        key = b"key-%d" % number
        at = (place(key, 1_000) + (number == 300)) % 1_000
        filled.add(at)
        producer.produce(name, b"{}", key, at)
    assert producer.flush(120) == 0
    (report,) = check(spark, declare(name, 1_000, key=KEY), bootstrap_servers=bootstrap).topics
    assert (report.records, report.unreadable) == (400, None)
    assert len(report.ranges) == 1_000
    assert sum(bool(each.records) for each in report.ranges) == len(filled)
    placement = result(report, "placement")
    assert placement.violations == 1
    assert placement.examples[0].expected_partition == place(b"key-300", 1_000)
