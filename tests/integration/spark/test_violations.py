"""Violations as data: as many rows as the report counts, the same ones from both engines, wherever they are written."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from confluent_kafka.admin import AdminClient, NewTopic
from delivering import SureProducer
from planted_formats import write_files, write_records

from kafka_topology.sample_records import produce_sample
from kafka_topology.spark_checks import Options, Sample, Selection, check
from kafka_topology.spark_checks.engines.columns.hashes import best_hashes
from kafka_topology.spark_checks.engines.pure import PureEngine
from kafka_topology.spark_checks.results.keys import shown
from kafka_topology.spark_checks.results.report import Report
from kafka_topology.spark_checks.rows.columns import NAMES
from kafka_topology.spark_checks.rows.frame import ReportRows
from kafka_topology.spark_checks.rows.keys import shown_column
from kafka_topology.topology import load
from kafka_topology.topology.kafka.partitioners import HASH_PARTITIONERS
from kafka_topology.topology.model.declared import Topology

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

NOW = 1_780_000_000_000
HOUR = 3_600_000
DAY = 24 * HOUR
TOPOLOGY = """\
version: 1
topics:
  {name}.orders:
    partitions: 6
    replication: 1
    ordering: per-key
    key: {{type: uuid, field: order_id, nulls: forbidden}}
    value: {{format: json, sequence: sequence}}
  {name}.table:
    partitions: 2
    replication: 1
    ordering: per-key
    key: {{type: string, distinct: 2, partitioner: custom}}
    value: {{format: json, sequence: n}}
    config: {{cleanup.policy: compact, max.compaction.lag.ms: "1000"}}
  {name}.clean: {{partitions: 1, replication: 1, key: {{type: string}}}}
  {name}.full: {{partitions: 2, replication: 1, key: {{type: string}}}}
producers:
  once: {{topics: [{name}.table], delivery: exactly-once, transactionalId: once}}
"""


@pytest.fixture(scope="module")
def planted(bootstrap: str, tmp_path_factory: pytest.TempPathFactory) -> Topology:
    """Violations of every check in a few small topics."""
    name = f"rows.{os.getpid()}"
    folder = tmp_path_factory.mktemp("rows")
    file = folder / "topology.yaml"
    file.write_text(TOPOLOGY.format(name=name))
    topology = loaded(file)
    admin = AdminClient({"bootstrap.servers": bootstrap})
    config = {"retention.ms": "-1", "message.timestamp.after.max.ms": str(2**63 - 1)}
    new = [NewTopic(each.name, each.partitions, 1, config=config) for each in topology.topics.values()]
    for created in admin.create_topics(new).values():
        created.result(60)
    faults: Any = {"misplaced": 7, "bad-key": 3, "wrong-field": 3, "null-key": 3, "tombstone": 2}
    produce_sample(bootstrap, topology.topics[f"{name}.orders"], 1_500, faults)
    producer = SureProducer({"bootstrap.servers": bootstrap})
    producer.produce(f"{name}.clean", b"", b"k", 0)
    table = f"{name}.table"

    def send(key: bytes | None, value: bytes, partition: int, at: int) -> None:
        producer.produce(table, value, key, partition, timestamp=at)

    for number in range(10):
        # Each is a duplicate of the one before, and all but the last are overdue: two faults of one record.
        send(b"twice", b'{"n": 1}', 0, NOW - 3 * DAY)
        send(b"back-%d" % number, b'{"n": 5}', 1, NOW - DAY)
        send(b"back-%d" % number, b'{"n": 4}', 1, NOW - HOUR // 30)
    for partition in (0, 1):
        send(b"split", b'{"n": 1}', partition, NOW - HOUR // 30)
        send(b"x" * 5_000, b'{"n": 1}', partition, NOW - HOUR // 30)
    for at in (NOW + 2 * HOUR, NOW * 1_000, 1):  # late, and in another unit: years that no calendar has
        send(b"future-%d" % at, b'{"n": 1}', 1, at)
    for _ in range(1_200):
        producer.produce(f"{name}.full", b"", b"often", HASH_PARTITIONERS["murmur2"].partition(b"often", 2))
    producer.flush(60)
    return topology


@pytest.fixture(scope="module")
def formats(bootstrap: str, tmp_path_factory: pytest.TempPathFactory) -> Topology:
    """Avro, JSON Schema, patterns, headers, tables and expressions."""
    name = f"formats.{os.getpid()}"
    path = write_files(tmp_path_factory.mktemp("formats") / "files", name)
    write_records(bootstrap, name)
    return loaded(path)


def named(topology: Topology, last: str) -> str:
    return next(name for name in topology.topics if name.endswith(last))


def loaded(path: Path) -> Topology:
    topology = load(path).topology
    assert topology is not None
    return topology


@dataclass(frozen=True)
class Found:
    report: Report
    rows: list[Any]

    def compared(self) -> list[tuple[str, ...]]:
        """All but the id of the run, in order."""
        return sorted(tuple(map(repr, row[1:])) for row in self.rows)


def found_in(spark: SparkSession, topology: Topology, bootstrap: str, **asked: Any) -> Found:
    """A report and its rows, which are as many as it counts."""
    report = check(spark, topology, bootstrap_servers=bootstrap, **{"options": Options(now_ms=NOW), **asked})
    frame = report.violations(spark)
    assert (tuple(frame.columns), NAMES[0]) == (NAMES, "run_id")
    rows = frame.collect()
    results = [(topic.topic, each) for topic in report.topics for each in topic.results if each.violations]
    assert Counter((row.topic, row.check) for row in rows) == {
        (topic, each.check): each.violations for topic, each in results
    }
    assert Counter((row.topic, row.check, fault) for row in rows for fault in row.faults) == {
        (topic, each.check, fault): count for topic, each in results for fault, count in each.faults.items()
    }
    assert len({row.run_id for row in rows}) <= 1
    assert all(row.expected and row.faults for row in rows)
    return Found(report, rows)


@pytest.fixture(scope="module")
def compiled(spark: SparkSession, bootstrap: str, planted: Topology) -> Found:
    return found_in(spark, planted, bootstrap)


def test_both_engines_give_the_same_rows(
    spark: SparkSession, bootstrap: str, planted: Topology, compiled: Found
) -> None:
    checked = {each.check for topic in compiled.report.topics for each in topic.results if each.violations}
    assert checked == {"placement", "single-partition", "key-type", "key-field", "nulls", "compaction", "order",
                       "timestamps", "skew", "cardinality"}  # fmt: skip
    pure = found_in(spark, planted, bootstrap, engine=PureEngine(best_hashes(spark)))
    assert compiled.report.to_json() == pure.report.to_json()
    assert compiled.compared() == pure.compared()


def test_both_engines_give_the_same_rows_of_decoded_records(
    spark: SparkSession, bootstrap: str, formats: Topology
) -> None:
    compiled = found_in(spark, formats, bootstrap)
    checked = {each.check for topic in compiled.report.topics for each in topic.results if each.violations}
    assert checked >= {"headers", "value-schema", "placement", "single-partition", "key-type", "order"}
    pure = found_in(spark, formats, bootstrap, engine=PureEngine(best_hashes(spark)))
    assert compiled.report.to_json() == pure.report.to_json()
    assert compiled.compared() == pure.compared()


def test_what_the_rows_say(spark: SparkSession, compiled: Found) -> None:
    report, rows = compiled.report, [row.asDict() for row in compiled.rows]
    misplaced = [row for row in rows if row["check"] == "placement"]
    orders = next(each for each in report.topics if each.topic.endswith("orders"))
    examples = next(each for each in orders.results if each.check == "placement").examples
    assert {(row["partition"], row["offset"], row["key"], row["expected"]) for row in misplaced} == {
        (each.position.partition, each.position.offset, each.key, f"partition {each.expected_partition}")
        for each in examples
    }
    assert all(row["timestamp"] and row["date"] and row["key_length"] == 36 for row in misplaced)
    split = [row for row in rows if row["check"] == "single-partition" and row["topic"].endswith("table")]
    assert {(row["key"], row["expected"]) for row in split} == {
        (key, "one partition for all its records; it is in 0, 1") for key in ("xxxxx", "<5000 bytes>")
    }
    full = HASH_PARTITIONERS["murmur2"].partition(b"often", 2)
    whole = {(row["partition"], row["offset"], row["key"], row["expected"]) for row in rows if row["offset"] is None}
    assert whole == {
        (full, None, None, "at most 3 times what the other partitions hold on average"),
        (None, None, None, "at most 2 times key.distinct (2)"),
        (None, None, None, "at least 2 keys, one for each partition"),
    }
    both = [row for row in rows if len(row["faults"]) == 2 and row["check"] == "compaction"]
    assert len(both) == 8
    future = [row for row in rows if row["check"] == "timestamps" and row["topic"].endswith("table")]
    assert {(row["timestamp_ms"], row["timestamp"] is None, row["date"] is None) for row in future} == {
        (NOW + 2 * HOUR, False, False),
        (NOW * 1_000, True, True),
    }
    assert isinstance(report.rows, ReportRows)
    table = tuple(each for each in report.rows.topics if each.pinned.topic.endswith("table"))
    revealed = replace(report.rows, topics=table, reveal=True).frame(spark)
    assert {row.key for row in revealed.where("check = 'single-partition'").collect()} == {"split", "<5000 bytes>"}


def test_a_sample_has_rows_of_what_was_read(
    spark: SparkSession, bootstrap: str, planted: Topology, compiled: Found
) -> None:
    options = Options(now_ms=NOW, selection=Selection(sample=Sample(0.3, 7, strict=True)))
    found = found_in(spark, planted, bootstrap, topics=[named(planted, "orders")], options=options)
    assert found.report.topics[0].sample is not None
    assert 0 < len(found.rows) < len(compiled.rows)


def test_a_clean_topic_has_no_rows(spark: SparkSession, bootstrap: str, planted: Topology) -> None:
    report = check(spark, planted, bootstrap_servers=bootstrap, topics=[named(planted, "clean")])
    assert (report.violation_count, report.violations(spark).collect()) == (0, [])
    with pytest.raises(ValueError, match="cannot read its records again"):
        Report(()).violations(spark)


def odd_keys() -> Iterator[bytes | None]:
    yield from (None, b"", b"\xff", b"\xc0\x80", b"\xed\xa0\x80", b"x" * 49, "ä".encode() * 48, "ä".encode() * 49)
    yield from (b"order-17", b"a\nb", "١٢²①".encode(), "日本 5".encode(), b"0" * 48, b"\x7f", "\u202e!".encode())
    # Every character in the company of others, so that a wrong one shows.
    codes = [code for code in range(0x30000) if not 0xD800 <= code <= 0xDFFF]
    for start in range(0, len(codes), 7):
        yield "".join(chr(code) for code in codes[start : start + 7]).encode()


@pytest.mark.parametrize("reveal", [False, True])
def test_keys_are_masked_as_in_the_report(spark: SparkSession, reveal: bool) -> None:
    keys = list(odd_keys())
    lengths = [None if key is None else len(key) for key in keys]
    rows = [*zip(keys, lengths, strict=True), (None, 5_000)]
    frame = spark.createDataFrame(rows, "key binary, key_length int")
    column = shown_column(frame.key, frame.key_length, reveal=reveal)
    found = [row[0] for row in frame.select(column).collect()]
    wrong = [(row, each) for row, each in zip(rows, found, strict=True) if each != shown(*row, reveal=reveal)]
    assert wrong == []
