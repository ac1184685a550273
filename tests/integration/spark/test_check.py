"""Checks on a real broker and a real Spark: exactly the planted faults, and nothing else."""

from __future__ import annotations

import uuid
from collections.abc import Callable
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import pytest
from confluent_kafka import Producer, TopicPartition
from confluent_kafka.admin import AdminClient
from delivering import SureProducer
from pyspark.sql import functions as F  # noqa: N812

from kafka_topology.sample_records import FaultKind, Planted, produce_sample
from kafka_topology.spark_checks import Options, check
from kafka_topology.spark_checks.conditions.record import NotOfType
from kafka_topology.spark_checks.engines.columns.conditions import condition
from kafka_topology.spark_checks.engines.columns.hashes import BuiltInHashes
from kafka_topology.spark_checks.reading.progress import Progress
from kafka_topology.spark_checks.reading.ranges import Pinned
from kafka_topology.spark_checks.reading.reader import FrameReader, KafkaReader
from kafka_topology.spark_checks.results.report import CheckResult, Position, TopicReport
from kafka_topology.topology.kafka.partitioners import HASH_PARTITIONERS
from kafka_topology.topology.model.declared import Key, KeyType, Partitioner, PartitionEra, Topology, Value

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

Declare = Callable[..., Topology]
CreateTopic = Callable[..., str]

ORDER_KEY = Key("uuid", field="order_id")
# The check and the fault name under which each planted fault must appear, and nowhere else.
SEEN_BY: dict[FaultKind, list[tuple[str, str]]] = {
    "misplaced": [("placement", "misplaced")],
    "bad-key": [("key-type", "not uuid")],
    "wrong-field": [("key-field", "differs from order_id")],
    "null-key": [("nulls", "null key")],
    "empty-key": [("nulls", "empty key"), ("key-type", "not uuid")],
    "tombstone": [("nulls", "tombstone")],
}


def result(report: TopicReport, check_id: str) -> CheckResult:
    return next(each for each in report.results if each.check == check_id)


def found_in(report: TopicReport) -> set[tuple[str, str, int, int]]:
    return {
        (each.check, example.fault, example.position.partition, example.position.offset)
        for each in report.results
        for example in each.examples
    }


def as_found(planted: list[Planted]) -> set[tuple[str, str, int, int]]:
    return {
        (check_id, fault, each.partition, each.offset) for each in planted for check_id, fault in SEEN_BY[each.kind]
    }


def test_planted_faults_are_found_exactly(
    spark: SparkSession, bootstrap: str, declare: Declare, create_topic: CreateTopic
) -> None:
    name = create_topic()
    topology = declare(name, key=ORDER_KEY, value=Value("json"))
    faults: dict[FaultKind, int] = dict.fromkeys(SEEN_BY, 3) | {"misplaced": 7}
    planted = produce_sample(bootstrap, topology.topics[name], 2_000, faults)
    told: list[Progress] = []
    options = Options(progress=told.append)
    (report,) = check(spark, topology, bootstrap_servers=bootstrap, options=options).topics
    assert told[0] == Progress(name, 0, 2_022)
    assert told[-1] == Progress(name, 2_022, 2_022)
    assert report.records == 2_000 + 22
    assert found_in(report) == as_found(planted)
    counts = {each.check: each.violations for each in report.results}
    assert {name: count for name, count in counts.items() if count} == {
        "placement": 7,
        "key-type": 6,
        "key-field": 3,
        "nulls": 9,
    }
    placement = result(report, "placement")
    misplaced = sorted((each.partition, each.offset) for each in planted if each.kind == "misplaced")
    assert placement.first is not None
    assert placement.last is not None
    assert (placement.first.partition, placement.first.offset) == misplaced[0]
    assert (placement.last.partition, placement.last.offset) == misplaced[-1]
    assert (placement.unjudged, placement.exempt) == (0, 3)
    assert [each.key for each in placement.examples] == [
        each.key and each.key.translate(str.maketrans("abcdef0", "xxxxxx9")) for each in placement.examples
    ]
    # The portable path gives the same answers.
    (portable,) = check(spark, topology, bootstrap_servers=bootstrap, hashes=BuiltInHashes()).topics
    assert portable == report


@pytest.mark.parametrize("partitioner", ["murmur2", "librdkafka-consistent-random", "librdkafka-fnv1a"])
def test_clean_records_have_no_violations(
    spark: SparkSession, bootstrap: str, declare: Declare, create_topic: CreateTopic, partitioner: str
) -> None:
    name = create_topic()
    topology = declare(name, key=Key("string", partitioner=Partitioner(partitioner)))
    assert produce_sample(bootstrap, topology.topics[name], 500, {}) == []
    (report,) = check(spark, topology, bootstrap_servers=bootstrap).topics
    assert report.records == 500
    assert {each.status for each in report.results} == {"exact"}
    assert report.violations == 0
    assert result(report, "placement").cause is None


def test_another_partitioner_is_named_as_the_cause(
    spark: SparkSession, bootstrap: str, declare: Declare, create_topic: CreateTopic
) -> None:
    name = create_topic()
    written_by = declare(name, key=Key("string", partitioner=Partitioner("librdkafka-consistent-random")))
    produce_sample(bootstrap, written_by.topics[name], 600, {})
    (report,) = check(spark, declare(name, key=Key("string")), bootstrap_servers=bootstrap).topics
    placement = result(report, "placement")
    assert placement.violations is not None
    assert 400 < placement.violations < 600
    assert placement.cause is not None
    assert "crc32" in placement.cause


def test_an_empty_topic_is_not_called_fine(
    spark: SparkSession, bootstrap: str, declare: Declare, create_topic: CreateTopic
) -> None:
    name = create_topic(3)
    (report,) = check(spark, declare(name, 3, key=ORDER_KEY), bootstrap_servers=bootstrap).topics
    assert report.records == 0
    assert [(each.pinned.start, each.pinned.end) for each in report.ranges] == [(0, 0)] * 3
    placement = result(report, "placement")
    assert (placement.status, placement.reason) == ("not-checked", "the topic holds no records")
    assert (report.empty, report.violations) == ("the topic holds no records", 0)


def test_old_records_are_judged_by_the_partition_count_of_their_time(
    spark: SparkSession, bootstrap: str, declare: Declare, create_topic: CreateTopic
) -> None:
    name = create_topic(6)
    grown_at = datetime(2026, 3, 1, tzinfo=UTC)
    moment = int(grown_at.timestamp() * 1000)
    producer = SureProducer({"bootstrap.servers": bootstrap})
    murmur2 = HASH_PARTITIONERS["murmur2"]
    for number in range(300):
        key = f"key-{number}".encode()
        # The last millisecond of three partitions, and the first of six.
        for partitions, at in ((3, moment - 1), (6, moment)):
            producer.produce(name, b"{}", key, murmur2.partition(key, partitions), timestamp=at)
    producer.flush(30)

    without = declare(name, key=Key("string"))
    (report,) = check(spark, without, bootstrap_servers=bootstrap).topics
    placement = result(report, "placement")
    moved = sum(
        murmur2.partition(f"key-{n}".encode(), 3) != murmur2.partition(f"key-{n}".encode(), 6) for n in range(300)
    )
    assert placement.violations == moved > 0
    assert placement.fix is not None
    assert "{partitions: 3, until:" in placement.fix

    declared = declare(name, key=Key("string", history=(PartitionEra(3, grown_at),)))
    (report,) = check(spark, declared, bootstrap_servers=bootstrap).topics
    assert report.violations == 0


def test_aborted_records_are_not_judged(
    spark: SparkSession, bootstrap: str, declare: Declare, create_topic: CreateTopic
) -> None:
    name = create_topic(2)
    producer = Producer({"bootstrap.servers": bootstrap, "transactional.id": name, "log_level": 0})
    producer.init_transactions(30)
    for commit in (True, False, True, False):
        producer.begin_transaction()
        for number in range(50):
            producer.produce(name, b"{}", f"key-{number}".encode() if commit else None)
        producer.flush(30)
        (producer.commit_transaction if commit else producer.abort_transaction)(30)
    (report,) = check(spark, declare(name, 2, key=Key("string")), bootstrap_servers=bootstrap).topics
    assert report.records == 200 - 100
    assert result(report, "nulls").violations == 0


def test_records_deleted_before_the_scan_are_a_gap(
    spark: SparkSession, bootstrap: str, declare: Declare, create_topic: CreateTopic
) -> None:
    name = create_topic(2)
    topology = declare(name, 2, key=Key("string"))
    produce_sample(bootstrap, topology.topics[name], 400, {})
    reader = KafkaReader({"bootstrap.servers": bootstrap})
    reader.pin([name])
    admin = AdminClient({"bootstrap.servers": bootstrap})  # kept: without it the answer never comes
    next(iter(admin.delete_records([TopicPartition(name, 0, 50)]).values())).result(30)
    (report,) = check(spark, topology, reader=reader).topics
    assert [each.deleted_to for each in report.ranges] == [50, None]
    assert report.ranges[0].records == report.ranges[0].pinned.end - 50
    assert report.records == 350


def test_records_of_any_frame_can_be_checked(spark: SparkSession, declare: Declare) -> None:
    rows = [(b"foobar", b"{}", 6, 0), (b"foobar", b"{}", 5, 9), (None, b"{}", 3, 4)]
    frame = spark.createDataFrame(
        [(*row, datetime(2026, 1, 1), 0) for row in rows],  # noqa: DTZ001 - the session's zone is UTC
        "key binary, value binary, partition int, offset long, timestamp timestamp, timestampType int",
    )
    reader = FrameReader({"t": frame}, {"t": 12})
    report = check(spark, declare("t", 12, key=Key("string")), reader=reader, options=Options(show_keys=True))
    placement = result(report.topics[0], "placement")
    (example,) = placement.examples
    assert (example.position.partition, example.position.offset) == (5, 9)
    assert (example.key, example.expected_partition) == ("foobar", 6)
    assert result(report.topics[0], "nulls").violations == 1


def test_key_types(spark: SparkSession) -> None:
    keys: dict[KeyType, tuple[list[bytes], list[bytes]]] = {
        "none": ([], [b"", b"a"]),
        "string": ([b"a", "ä".encode(), b""], [b"\xff", b"\xc3"]),
        "int": ([b"\0\0\0\1"], [b"1", b"", b"\0" * 8]),
        "long": ([b"\0" * 8], [b"12", b"\0" * 4]),
        "uuid": (
            [b"354afe16-939a-4ea8-8e17-8bb0840b6886", b"354AFE16-939A-4EA8-8E17-8BB0840B6886"],
            [b"354afe16939a4ea88e178bb0840b6886", b"354afe16-939a-4ea8-8e17-8bb0840b688g", b"x" * 36],
        ),
        "json": ([b'{"a": 1}', b"12", b'"x"'], [b"{a}", b"", b"\xff"]),
        "avro": ([b"\0\0\0\0\7abc"], [b"\1\0\0\0\7abc", b"\0\0\0"]),
        "pattern": ([b"TT0124"], [b"TT0124\n", b"xTT0124", b"TT01", b"\xff"]),
    }
    rows = [
        (key_type, key, wrong)
        for key_type, both in keys.items()
        for wrong, group in enumerate(both)
        for key in (*group, None)
    ]
    frame = spark.createDataFrame(rows, "type string, key binary, wrong int")
    judged = F.lit(None)
    for key_type in keys:
        holds = condition(NotOfType(key_type, "TT[0-9]{4}"), BuiltInHashes())
        judged = F.when(F.col("type") == key_type, holds).otherwise(judged)
    for row in frame.withColumn("judged", judged).collect():
        assert row["judged"] == (row["key"] is not None and bool(row["wrong"])), row


def test_an_undeclared_topic_is_refused(spark: SparkSession, bootstrap: str, declare: Declare) -> None:
    with pytest.raises(ValueError, match=r"topic no\.such is not declared; declared are a$"):
        check(spark, declare("a"), bootstrap_servers=bootstrap, topics=["no.such"])


class CountingReader(FrameReader):
    """Remembers how many offsets each read was about."""

    def __init__(self, *given: Any) -> None:
        super().__init__(*given)
        self.reads: list[int] = []

    def read(self, spark: SparkSession, pinned: Pinned, *, headers: bool = False) -> DataFrame:
        self.reads.append(sum(part.offsets for part in pinned.filled))
        return super().read(spark, pinned, headers=headers)


def test_no_record_is_read_twice_for_its_examples(spark: SparkSession, declare: Callable[..., Topology]) -> None:
    """However many there are, and also those that only a later record makes a violation."""
    at = datetime(2026, 1, 1, tzinfo=UTC)
    faulty = {10, 50, 1_500, 3_900}
    rows = [
        (b"wrong" if number in faulty else str(uuid.UUID(int=number)).encode(), b"{}", 0, number, at, 0)
        for number in range(4_000)
    ]
    columns = "key binary, value binary, partition int, offset long, timestamp timestamp, timestampType int"
    reader = CountingReader({"t": spark.createDataFrame(rows, columns).coalesce(1)}, {"t": 1})
    config = {"cleanup.policy": "compact", "max.compaction.lag.ms": "1000"}
    (report,) = check(spark, declare("t", 1, key=Key("uuid"), config=config), reader=reader).topics
    found = {each.check: each for each in report.results if each.violations}
    wrong, overdue = found.pop("key-type"), found.pop("compaction")
    assert not found
    assert (wrong.violations, wrong.first, wrong.last) == (4, Position(0, 10), Position(0, 3_900))
    assert [each.position.offset for each in wrong.examples] == [10, 50, 1_500, 3_900]
    assert [each.position.offset for each in overdue.examples] == [10, 50, 1_500]
    assert {each.key for each in (*wrong.examples, *overdue.examples)} == {"xxxxx"}
    assert reader.reads == [4_000, 4_000]  # one of both only looks at the columns
