"""The compiled engine gives the answers of the plain reference and of the pure engine, whatever the records are."""

from __future__ import annotations

import json
import random
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyspark
import pytest
from confluent_kafka import Producer
from delivering import SureProducer
from json_documents import PATHS, some_documents
from plain_tally import Record, plain_tally, text_of
from pyspark.sql import functions as F  # noqa: N812
from some_records import EVERYTHING, SEQUENCE, frame_of, in_order, some_records

from kafka_topology.spark_checks.conditions.record import (
    Behind,
    DiffersFromField,
    Era,
    FirstOfKey,
    Framed,
    KeyQuestion,
    Misplaced,
    MisplacedByTable,
    NotOfFormat,
    NotOfType,
    Older,
    SameAsBefore,
    SupersededOverdue,
    Undetermined,
    Unframed,
)
from kafka_topology.spark_checks.conditions.tables import ExpressionTable, ListTable
from kafka_topology.spark_checks.engines import compiled, given_jar
from kafka_topology.spark_checks.engines.choice import best_engine
from kafka_topology.spark_checks.engines.columns.hashes import BuiltInHashes, best_hashes
from kafka_topology.spark_checks.engines.key_places import key_places
from kafka_topology.spark_checks.engines.pure import PureEngine
from kafka_topology.spark_checks.reading.ranges import Pinned, Range
from kafka_topology.spark_checks.reading.reader import KafkaReader
from kafka_topology.spark_checks.reading.selection import Sample, Selection, chosen
from kafka_topology.spark_checks.reading.source import OWN
from kafka_topology.spark_checks.results.scan import Tally, Wanted
from kafka_topology.toolchain import ensure_spark
from kafka_topology.topology.kafka.partitioners import HASH_PARTITIONERS

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession


@pytest.fixture(scope="module")
def engine(spark: SparkSession) -> compiled.CompiledEngine:
    found = best_engine(spark, best_hashes(spark))
    assert isinstance(found, compiled.CompiledEngine), "the jar is missing: make setup"
    return found


@pytest.mark.parametrize("seed", [1, 2])
def test_all_conditions_on_random_records(spark: SparkSession, engine: compiled.CompiledEngine, seed: int) -> None:
    records = list(some_records(seed, 1_500))
    frame = frame_of(spark, records).cache()
    wanted = Wanted((1 << len(EVERYTHING)) - 2, 3)  # all but one
    expected = in_order(plain_tally(records, EVERYTHING, wanted))
    assert len(expected.groups) > 100
    assert {len(each.key) for each in expected.hot_keys} == {len(b"often")}
    assert {each.test for each in expected.evidence} >= {*range(1, 7), 17}
    assert {each.key_length for each in expected.evidence if each.key is None} == {None, 5000}
    assert in_order(engine.tally(frame, EVERYTHING, hot_keys=True, wanted=wanted)) == expected
    assert in_order(PureEngine(BuiltInHashes()).tally(frame, EVERYTHING, hot_keys=True, wanted=wanted)) == expected
    frame.unpersist()


def test_each_condition_alone(spark: SparkSession, engine: compiled.CompiledEngine) -> None:
    """What is kept of a key depends on what is asked, so every condition is also asked by itself."""
    records = list(some_records(3, 600))
    frame = frame_of(spark, records).coalesce(1).cache()
    for condition in EVERYTHING:
        expected = in_order(plain_tally(records, [condition])).groups
        assert in_order(engine.tally(frame, [condition], hot_keys=False)) == Tally(expected), condition
    assert in_order(engine.tally(frame, [], hot_keys=False)) == Tally(in_order(plain_tally(records, [])).groups)
    frame.unpersist()


def test_many_hot_keys_change_places(spark: SparkSession, engine: compiled.CompiledEngine) -> None:
    """More keys than the report shows, equal counts among them, and one too long to be shown in full."""
    chance = random.Random(5)  # noqa: S311 - repeatable
    keys = [f"key-{number:02}".encode() for number in range(30)] + [b"long" * 2_000]
    counts = {key: 100 + index // 3 for index, key in enumerate(keys)}
    sent = [key for key, count in counts.items() for _ in range(count)]
    chance.shuffle(sent)
    frame = frame_of(spark, (Record(1, offset, key, b"") for offset, key in enumerate(sent)))
    told = in_order(engine.tally(frame, [], hot_keys=True))
    ranked = sorted(counts.items(), key=lambda pair: (-pair[1], pair[0]))[:10]
    assert [(hot.partition, hot.key, hot.records) for hot in told.hot_keys] == [(1, key[:4096], n) for key, n in ranked]
    assert told == in_order(PureEngine(BuiltInHashes()).tally(frame, [], hot_keys=True))


def test_every_partitioner_on_random_keys(spark: SparkSession, engine: compiled.CompiledEngine) -> None:
    """Seven partitions, so that every partitioner is right by chance for one key in seven."""
    chance = random.Random(7)  # noqa: S311 - repeatable
    lengths = [*range(70), *(chance.randrange(60) for _ in range(100_000))]
    keys: list[bytes | None] = [None, b"", *(chance.randbytes(length) for length in lengths)]
    records = [Record(chance.randrange(7), offset, key, None) for offset, key in enumerate(keys)]
    by_hash = {(each.hash, each.reduction): Misplaced(each, (Era(7),)) for each in HASH_PARTITIONERS.values()}
    # They differ in null and empty keys only, so a few keys tell the rest.
    for some, conditions in (
        (records, list(by_hash.values())),
        (records[:300], [Misplaced(each, (Era(7),)) for each in HASH_PARTITIONERS.values()]),
        (records[:300], [Undetermined(each) for each in HASH_PARTITIONERS.values()]),
    ):
        found = engine.tally(frame_of(spark, some), conditions, hot_keys=False)
        assert in_order(found) == Tally(in_order(plain_tally(some, conditions)).groups)


def test_fields_of_odd_documents(spark: SparkSession, engine: compiled.CompiledEngine) -> None:
    """Each document has the field's text as its key; partition 1 has those without the field."""
    documents = [each for each in some_documents(seed=13, count=6_000) if not is_deep(each)]
    for path in PATHS:
        texts = [text_of(Record(0, 0, b"", document), path) for document in documents]
        records = [
            Record(int(text is None), offset, b"\0nothing" if text is None else text, document)
            for offset, (text, document) in enumerate(zip(texts, documents, strict=True))
        ]
        assert {each.partition for each in records} == ({1} if path == (" id",) else {0, 1}), path  # names are exact
        frame = frame_of(spark, records).cache()
        for each in (engine, PureEngine(BuiltInHashes())):
            found = in_order(each.tally(frame, [DiffersFromField(path)], hot_keys=False))
            wrong = [documents[group.first] for group in found.groups if group.mask != group.partition]
            assert wrong == [], (path, each)
        frame.unpersist()


def test_deep_and_long_documents(spark: SparkSession, engine: compiled.CompiledEngine) -> None:
    """Where the parsers give up: at the same depth, in both engines."""
    documents = [each for each in some_documents(seed=13, count=0) if is_deep(each)]
    records = [Record(number, 0, b"found", document) for number, document in enumerate(documents)]
    frame = frame_of(spark, records).cache()
    conditions = [DiffersFromField(("id",)), NotOfFormat("json")]
    expected = in_order(PureEngine(BuiltInHashes()).tally(frame, conditions, hot_keys=False))
    assert {group.mask for group in expected.groups} >= {0, 3}
    assert in_order(engine.tally(frame, conditions, hot_keys=False)) == expected
    frame.unpersist()


def is_deep(document: bytes) -> bool:
    """Deeper than Python's own parser goes, or with a name that is longer than the engines' parser takes."""
    return document.startswith(b'{"deep"') or b"n" * 50_000 in document


def test_what_is_json(spark: SparkSession, engine: compiled.CompiledEngine) -> None:
    documents = [each for each in some_documents(seed=17, count=6_000) if not is_deep(each)]
    # A partition for every few documents, so that one wrong answer shows in a group.
    records = [Record(number // 20, number, b"", document) for number, document in enumerate(documents)]
    frame = frame_of(spark, records).coalesce(1).cache()
    conditions = [NotOfFormat("json"), NotOfFormat("string"), Framed(), Unframed()]
    expected = Tally(in_order(plain_tally(records, conditions)).groups)
    assert {group.mask & 1 for group in expected.groups} == {0, 1}
    assert in_order(PureEngine(BuiltInHashes()).tally(frame, conditions, hot_keys=False)) == expected
    assert in_order(engine.tally(frame, conditions, hot_keys=False)) == expected
    frame.unpersist()


def test_frames_that_are_not_in_order_are_left_to_the_pure_engine(
    spark: SparkSession, engine: compiled.CompiledEngine
) -> None:
    records = [Record(offset % 2, offset, b"k", b"{}", 1_000 - offset) for offset in range(40)]
    conditions = [FirstOfKey(), Older("partition")]
    expected = Tally(in_order(plain_tally(records, conditions)).groups)
    ordered = frame_of(spark, records)
    for frame in (
        ordered.coalesce(1).sortWithinPartitions(F.desc("offset")),
        ordered.coalesce(1).sortWithinPartitions("offset"),  # one partition is not together
        ordered.repartition(4, "offset").sortWithinPartitions("partition", "offset"),  # two tasks, one partition
        ordered.withColumn("timestamp", F.when(F.col("offset") >= 0, F.col("timestamp"))),  # fine, but may be null
    ):
        assert in_order(engine.tally(frame, conditions, hot_keys=False)) == expected
    nobody_knows_when = ordered.withColumn("timestamp", F.lit(None).cast("timestamp"))
    assert in_order(engine.tally(nobody_knows_when, [FirstOfKey()], hot_keys=False)).records == 40


@pytest.mark.parametrize("table", [None, ListTable("bytes", ((b"k1", 1), (b"often", 2)))])
def test_the_records_for_which_a_condition_holds(
    spark: SparkSession, engine: compiled.CompiledEngine, table: ListTable | None
) -> None:
    """All of them, with the partition that they belong to. What a later record decides may be a row of its own."""
    records = list(some_records(11, 900))
    frame = frame_of(spark, records).cache()
    placed = EVERYTHING[0] if table is None else MisplacedByTable(table)
    assert isinstance(placed, Misplaced | MisplacedByTable)
    conditions = [placed, NotOfType("uuid"), SameAsBefore(), Behind(SEQUENCE, "key"), SupersededOverdue(2_000)]
    found: list[list[tuple[Any, ...]]] = []
    for each in (engine, PureEngine(BuiltInHashes())):
        rows = each.records(frame, conditions, placed)
        joined = rows.groupBy("partition", "offset", "timestamp_ms", "key", "key_length").agg(
            F.bit_or("mask"), F.max("expected_partition"), F.count("*")
        )
        found.append(sorted(tuple(row) for row in joined.collect()))
    # Where a record belongs matters only where it is misplaced.
    by_jar, by_columns = ([(*row[:6], row[6] if row[5] & 1 else None) for row in rows] for rows in found)
    assert by_jar == by_columns
    assert {row[-1] for row in found[1]} == {1}
    assert {row[-1] for row in found[0]} == {1, 2}
    if table is None:
        held = {(row[0], row[1], bit) for row in by_jar for bit in range(5) if row[5] >> bit & 1}
        expected = plain_tally(records, conditions, Wanted(0b11111, 10_000)).evidence
        assert held == {(each.partition, each.offset, each.test) for each in expected}
    frame.unpersist()


def test_a_record_that_must_not_be_judged_ends_the_job(spark: SparkSession, engine: compiled.CompiledEngine) -> None:
    """Rows that were given cannot be taken back, so a refusal must not look like the end."""
    records = [Record(0, offset, b"k", b"{}") for offset in range(40)]
    backwards = frame_of(spark, records).coalesce(1).sortWithinPartitions(F.desc("offset"))
    with pytest.raises(Exception, match="offsets of partition 0 do not ascend"):
        engine.records(backwards, [NotOfType("uuid")]).collect()


@pytest.mark.parametrize(
    "question",
    [
        KeyQuestion((Era(3),)),
        KeyQuestion((Era(2, 1_500), Era(3)), HASH_PARTITIONERS["librdkafka-consistent-random"]),
        KeyQuestion((Era(3),), ExpressionTable("if(length(key) > 3, null, 1)")),
    ],
)
def test_where_keys_lie(spark: SparkSession, engine: compiled.CompiledEngine, question: KeyQuestion) -> None:
    """So many keys that they push each other out of the jar's table, and one that is too long to be shown."""
    chance = random.Random(3)  # noqa: S311 - repeatable
    names = [b"", b"\xff", b"x" * 5000, *(b"%d" % number for number in range(12_000))]
    records = [
        Record(
            chance.randrange(3) if chance.random() < 0.01 else number % 3, offset, names[number], None, offset % 3_000
        )
        for offset, number in enumerate(chance.choices(range(len(names)), k=24_000))
    ]
    frame = frame_of(spark, records).withColumns({"key_text": F.col("key"), "partitions": F.lit(3)}).cache()
    found = [
        key_places(each.keys(frame, question), question, examples=20) for each in (engine, PureEngine(BuiltInHashes()))
    ]
    assert found[0] == found[1]
    keys: dict[bytes, dict[int, set[int]]] = {}
    for each in records:
        assert each.key is not None
        if question.open_to is not None and (each.key == b"" if len(question.eras) > 1 else len(each.key) > 3):
            continue
        era = 0 if len(question.eras) > 1 and each.timestamp_ms < 1_500 else 1
        keys.setdefault(each.key, {}).setdefault(era, set()).add(each.partition)
    split = [key for key, eras in keys.items() if any(len(parts) > 1 for parts in eras.values())]
    assert (found[0].keys, found[0].split) == (len(keys), len(split))
    assert 10 < len(found[0].examples) <= 20
    frame.unpersist()


def collected(frame: DataFrame) -> Iterator[Record]:
    for row in frame.collect():
        key, value = (None if each is None else bytes(each) for each in (row.key, row.value))
        at = round(row.timestamp.timestamp() * 1000)
        yield Record(row.partition, row.offset, key, value, at, row.timestampType)


def test_a_topic_with_gaps(
    spark: SparkSession, engine: compiled.CompiledEngine, bootstrap: str, create_topic: Callable[..., str]
) -> None:
    name = create_topic(3)
    producer = Producer({"bootstrap.servers": bootstrap, "transactional.id": name, "partitioner": "murmur2_random"})
    producer.init_transactions(30)
    for commit in (True, False, True):
        producer.begin_transaction()
        for number in range(300):
            value = (
                None if number % 50 == 0 else json.dumps({"id": f"key-{number % 40}", "sequence": number % 70}).encode()
            )
            producer.produce(name, value, f"key-{number % 41}".encode(), timestamp=1_000_000 + number)
        producer.flush(30)
        (producer.commit_transaction if commit else producer.abort_transaction)(30)
    reader = KafkaReader({"bootstrap.servers": bootstrap})
    read_before = compiled.records_read(spark)
    frame = reader.read(spark, reader.pin([name])[name])  # type: ignore[arg-type]
    records = list(collected(frame))
    assert len(records) == 600
    assert in_order(engine.tally(frame, EVERYTHING, hot_keys=True)) == in_order(plain_tally(records, EVERYTHING))
    assert compiled.records_read(spark) == read_before + 600


def test_blocks_of_a_sample(
    spark: SparkSession, engine: compiled.CompiledEngine, bootstrap: str, create_topic: Callable[..., str]
) -> None:
    """By seeking, with gaps of aborted transactions at their edges; keys are remembered from block to block."""
    name = create_topic(3)
    producer = Producer({"bootstrap.servers": bootstrap, "transactional.id": name})
    producer.init_transactions(30)
    for turn in range(40):
        producer.begin_transaction()
        for number in range(60):
            value = json.dumps({"id": f"key-{number % 7}", "sequence": number * turn % 70}).encode()
            key = None if number == 5 else f"key-{number % 11}".encode()
            producer.produce(name, value, key, number % 3, timestamp=1_000 + 60 * turn + number % 9)
        producer.flush(30)
        (producer.abort_transaction if turn % 4 == 3 else producer.commit_transaction)(30)
    reader = KafkaReader({"bootstrap.servers": bootstrap})
    whole = reader.pin([name])[name]
    assert isinstance(whole, Pinned)
    conditions = [each for each in EVERYTHING if engine.seeks([each])]
    assert len(conditions) == len(EVERYTHING) - 1
    for share in (0.1, 0.4, 0.9):
        pinned = chosen(Selection(sample=Sample(share, 3, strict=True)), whole)
        assert pinned.sample is not None
        assert not pinned.contiguous
        read_before = compiled.records_read(spark)
        around = reader.read_around(spark, pinned)
        wanted = Wanted((1 << len(conditions)) - 1, 3)
        found = engine.tally_blocks(around, pinned.filled, conditions, hot_keys=True, wanted=wanted)
        frame = reader.read(spark, pinned)
        expected = plain_tally(collected(frame), conditions, wanted)
        assert in_order(found) == in_order(expected)
        if share == 0.1:  # the same from the rows of many reads
            pure = PureEngine(BuiltInHashes()).tally(frame, conditions, hot_keys=True, wanted=wanted)
            assert in_order(pure) == in_order(expected)
        assert compiled.records_read(spark) == (read_before or 0) + expected.records
        # Rows of another query would bring more than the blocks.
        assert engine.tally_blocks(around.where("offset > 0"), pinned.filled, conditions, hot_keys=True) is None
    assert engine.tally_blocks(around, pinned.filled, EVERYTHING, hot_keys=True) is None


def test_our_own_reader_gives_the_rows_of_the_connector(
    spark: SparkSession,
    engine: compiled.CompiledEngine,
    bootstrap: str,
    create_topic: Callable[..., str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    name = create_topic(3)
    producer = SureProducer({"bootstrap.servers": bootstrap})
    for number, headers in enumerate(([], [("a", b"1"), ("a", None)], [("ä", b"")]) * 50):
        key = None if number % 7 == 0 else b"k%d" % (number % 5)
        value = None if number % 11 == 0 else b"{}"
        producer.produce(name, value, key, number % 3, headers=headers, timestamp=number * 1_000_003 + 1)
    producer.flush(30)
    reader = KafkaReader({"bootstrap.servers": bootstrap})
    pinned = reader.pin([name])[name]
    assert isinstance(pinned, Pinned)
    # Neither from the first record nor to the last one.
    narrow = pinned.narrowed(Range(part.partition, part.start + 5, part.end - 5) for part in pinned.ranges)
    for part, headers in ((pinned, True), (narrow, False)):
        expected = reader.read(spark, part, headers=headers)
        told = in_order(engine.tally(expected.drop("headers"), EVERYTHING, hot_keys=True))
        rows = expected.orderBy("partition", "offset").collect()
        with monkeypatch.context() as without_connector:
            without_connector.setattr("kafka_topology.spark_checks.reading.reader.kafka_source", lambda _: OWN)
            found = reader.read(spark, part, headers=headers)
        assert found.schema == expected.schema
        assert found.orderBy("partition", "offset").collect() == rows
        assert in_order(engine.tally(found.drop("headers"), EVERYTHING, hot_keys=True)) == told


def test_a_missing_jar_is_no_loss(spark: SparkSession, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(given_jar, "scan_jar", lambda: None)
    assert isinstance(best_engine(spark, BuiltInHashes()), PureEngine)


NOTEBOOK = """
import sys, threading
from pyspark.sql import SparkSession
spark = SparkSession.builder.master("local[1]").config("spark.ui.enabled", "false").getOrCreate()
from kafka_topology.spark_checks.conditions.record import FirstOfKey
from kafka_topology.spark_checks.engines.columns.hashes import BuiltInHashes
from kafka_topology.spark_checks.engines.compiled import compiled_engine
from kafka_topology.spark_checks.reading.interrupting import interruptibly
from kafka_topology.spark_checks.reading.source import can_read
record = "binary('k') key, binary('v') value, 0 partition, id offset, now() timestamp"
frame = spark.sql(f"select {record} from range(0, 5, 1, 1)")
engines = []
found = threading.Event()

def find():
    engines.append(compiled_engine(spark, BuiltInHashes()))
    found.set()
    threading.Event().wait()  # its thread of Java, which was shown the jar, is nobody else's

threading.Thread(target=find, daemon=True).start()
found.wait()
(engine,) = engines
print(engine.tally(frame, [FirstOfKey()], hot_keys=False).groups)
print(interruptibly(spark, lambda: engine.tally(frame, [FirstOfKey()], hot_keys=False).groups))
for jar in sys.argv[1:]:
    spark.sql(f"ADD JAR '{jar}'")
print(interruptibly(spark, lambda: can_read(spark, "kafka")))
"""


def test_a_session_that_others_started_gets_the_jar(tmp_path: Path) -> None:
    """In every thread of it: Java shows an added jar to the thread that added it only."""
    command = [sys.executable, "-c", NOTEBOOK, *map(str, ensure_spark(pyspark.__version__))]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=600, check=False)
    assert done.returncode == 0, done.stderr[-2000:]
    here, in_another_thread, reads_kafka = done.stdout.splitlines()
    assert "mask=1, records=1, first=0, last=0, bytes=2" in here
    assert "mask=0, records=4, first=1, last=4, bytes=8" in here
    assert in_another_thread == here
    assert reads_kafka == "True"
