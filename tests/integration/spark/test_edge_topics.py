"""Topics that are unlike the others, on a real broker: each is read exactly."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import pytest
from confluent_kafka import Consumer, Producer, TopicPartition
from confluent_kafka.admin import AdminClient, NewPartitions
from delivering import SureProducer

from kafka_topology.spark_checks import Options, check
from kafka_topology.spark_checks.engines.columns.hashes import best_hashes
from kafka_topology.spark_checks.engines.pure import PureEngine
from kafka_topology.spark_checks.reading import offsets
from kafka_topology.spark_checks.reading.ranges import Pinned, Range
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
    producer = SureProducer({"bootstrap.servers": bootstrap})
    began = int(time.time() * 1000) - 60_000
    written = 0

    def write(key: bytes, partition: int, version: int) -> None:
        nonlocal written
        producer.produce(name, b"%d" % version, key, partition, timestamp=began + 1_000 * version)
        written += 1

    for version in range(8):
        for number in range(50):
            key = b"key-%d" % number
            # One key is in the other partition, in its last version only.
            write(key, (place(key, 2) + (number == 7 and version == 7)) % 2, version)
        # A batch of its own, and a second later: that opens a segment, and only closed ones are compacted.
        producer.flush(30)
    for partition in (0, 1):
        write(b"", partition, 9)
    producer.flush(30)
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


def transactional(bootstrap: str, name: str) -> Producer:
    """A producer that has begun a transaction."""
    settings = {"transactional.id": name, "transaction.timeout.ms": str(10 * 60 * 1000)}
    producer = SureProducer({"bootstrap.servers": bootstrap, "log_level": 0, **settings})
    producer.init_transactions(30)
    producer.begin_transaction()
    return producer


def write_keys(producer: Producer, topic: str, count: int) -> None:
    for each in range(count):
        producer.produce(topic, b"{}", b"key-%d" % each, 0)
    producer.flush(30)


def test_ended_transactions_leave_gaps_in_the_offsets(
    spark: SparkSession, bootstrap: str, declare: Declare, create_topic: CreateTopic
) -> None:
    name = create_topic(1)
    for number, end in enumerate(("commit", "abort", "commit")):
        producer = transactional(bootstrap, f"{name}-{number}")
        write_keys(producer, name, 20)
        if end == "commit":
            producer.commit_transaction(30)
        else:
            producer.abort_transaction(30)
    (report,) = check(spark, declare(name, 1, key=KEY), bootstrap_servers=bootstrap).topics
    (scanned,) = report.ranges
    # Each transaction ends with a marker.
    assert (scanned.pinned.start, scanned.pinned.end) == (0, 63)
    assert (report.records, report.violations, report.hidden, report.partial) == (40, 0, (), None)
    assert {each.status for each in report.results if each.violations is not None} == {"exact"}


def test_an_open_transaction_is_reported_with_what_it_hides(
    spark: SparkSession, bootstrap: str, declare: Declare, create_topic: CreateTopic
) -> None:
    name = create_topic(2)
    plain = SureProducer({"bootstrap.servers": bootstrap})
    write_keys(plain, name, 10)
    began = datetime.now(UTC)
    producer = transactional(bootstrap, f"{name}-open")
    write_keys(producer, name, 3)
    write_keys(plain, name, 20)  # committed, and nobody who reads committed records gets them
    (report,) = check(spark, declare(name, 2, key=KEY), bootstrap_servers=bootstrap).topics
    assert (report.records, report.ranges[0].pinned.end) == (10, 10)
    assert report.partial == "open transactions hide 23 offsets at the end of partition 0"
    assert {each.status for each in report.results if each.violations is not None} == {"bounded"}
    (hidden,) = report.hidden
    assert (hidden.offsets, hidden.unknown, hidden.hanging) == (Range(0, 10, 33), None, ())
    (transaction,) = hidden.transactions
    assert (transaction.transactional_id, transaction.first_offset) == (f"{name}-open", 10)
    assert transaction.started is not None
    assert abs(transaction.started - began) < timedelta(minutes=1)
    assert transaction.timeout == timedelta(minutes=10)

    # An hour later it hangs: brokers end a transaction soon after its timeout.
    late = KafkaReader({"bootstrap.servers": bootstrap}, clock=lambda: datetime.now(UTC) + timedelta(hours=1))
    (later,) = check(spark, declare(name, 2, key=KEY), reader=late).topics
    assert later.hanging == 1
    producer.commit_transaction(30)
    (after,) = check(spark, declare(name, 2, key=KEY), bootstrap_servers=bootstrap).topics
    assert (after.records, after.hidden, after.partial) == (33, (), None)


def test_a_short_transaction_is_waited_for(
    bootstrap: str, create_topic: CreateTopic, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(offsets, "SETTLING_S", 60.0)  # a slow machine may need long to end it
    name = create_topic(1)
    producer = transactional(bootstrap, name)
    write_keys(producer, name, 5)
    ending = threading.Timer(0.5, producer.commit_transaction, (30,))
    ending.start()
    pinned = KafkaReader({"bootstrap.servers": bootstrap}, timeout_s=60).pin([name])[name]
    ending.join()
    assert isinstance(pinned, Pinned)
    assert (pinned.hidden, pinned.ranges[0].end) == ((), 6)


def test_topics_without_records(
    spark: SparkSession, bootstrap: str, declare: Declare, create_topic: CreateTopic
) -> None:
    never, emptied = create_topic(2), create_topic(2)
    producer = SureProducer({"bootstrap.servers": bootstrap})
    for _ in range(5):
        producer.produce(emptied, b"{}", b"key", 0)
    producer.flush(30)
    admin = AdminClient({"bootstrap.servers": bootstrap})
    next(iter(admin.delete_records([TopicPartition(emptied, 0, 5)]).values())).result(30)
    for name, bounds in ((never, (0, 0)), (emptied, (5, 5))):
        (report,) = check(spark, declare(name, 2, key=KEY), bootstrap_servers=bootstrap).topics
        assert (report.records, report.violations, report.unreadable) == (0, 0, None)
        assert (report.ranges[0].pinned.start, report.ranges[0].pinned.end) == bounds
        assert report.empty == "the topic holds no records"
        # Nothing was looked at, so nothing is fine.
        assert {(each.status, each.reason) for each in report.results if each.check != "nulls"} == {
            ("not-checked", report.empty)
        }
        required = Options(require_records=True)
        whole = check(spark, declare(name, 2, key=KEY), bootstrap_servers=bootstrap, options=required)
        assert [each.unreadable for each in whole.unreadable] == [f"{report.empty}, but records are required"]


def test_what_happens_between_pinning_and_reading(
    spark: SparkSession, bootstrap: str, declare: Declare, create_topic: CreateTopic
) -> None:
    name = create_topic(2)
    producer = SureProducer({"bootstrap.servers": bootstrap})
    for number in range(100):
        key = b"key-%d" % number
        producer.produce(name, b"{}", key, place(key, 2))
    producer.flush(30)
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
    producer.flush(30)
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
    producer = SureProducer({"bootstrap.servers": bootstrap, "message.max.bytes": 11 << 20})
    for number in range(6):
        key = b"key-%d" % number
        producer.produce(name, b"x" * (10 << 20) if number == 3 else b"x", key, (place(key, 2) + (number == 3)) % 2)
    producer.flush(60)
    (report,) = check(spark, declare(name, 2, key=KEY), bootstrap_servers=bootstrap).topics
    assert (report.records, report.unreadable) == (6, None)
    assert result(report, "placement").violations == 1
    assert sum(each.bytes for each in report.ranges) == (10 << 20) + 5 + 6 * len(b"key-0")


def test_a_thousand_partitions(
    spark: SparkSession, bootstrap: str, declare: Declare, create_topic: CreateTopic
) -> None:
    name = create_topic(1_000)
    producer = SureProducer({"bootstrap.servers": bootstrap})
    filled = set()
    for number in range(400):
        key = b"key-%d" % number
        at = (place(key, 1_000) + (number == 300)) % 1_000
        filled.add(at)
        producer.produce(name, b"{}", key, at)
    producer.flush(120)
    (report,) = check(spark, declare(name, 1_000, key=KEY), bootstrap_servers=bootstrap).topics
    assert (report.records, report.unreadable) == (400, None)
    assert len(report.ranges) == 1_000
    assert sum(bool(each.records) for each in report.ranges) == len(filled)
    placement = result(report, "placement")
    assert placement.violations == 1
    assert placement.examples[0].expected_partition == place(b"key-300", 1_000)


def test_a_timestamp_in_nanoseconds(
    spark: SparkSession, bootstrap: str, declare: Declare, create_topic: CreateTopic
) -> None:
    """Spark's connector has no number for it; only the compiled engine reads the topic without the connector."""
    name = create_topic(1, {"retention.ms": "-1", "message.timestamp.after.max.ms": str(2**63 - 1)})
    producer = SureProducer({"bootstrap.servers": bootstrap})
    producer.produce(name, b"1", b"a", 0, timestamp=time.time_ns())
    producer.flush(30)
    topology = declare(name, 1, key=KEY)
    (report,) = check(spark, topology, bootstrap_servers=bootstrap).topics
    assert report.unreadable is None
    assert result(report, "timestamps").violations == 1
    pure = PureEngine(best_hashes(spark))
    (report,) = check(spark, topology, bootstrap_servers=bootstrap, engine=pure).topics
    assert report.unreadable is not None
    assert "a timestamp that Spark's connector cannot hold" in report.unreadable
