"""The compiled engine gives the answers of the plain reference and of the pure engine, whatever the records are."""

from __future__ import annotations

import json
import random
import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator
from datetime import datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from confluent_kafka import Producer
from json_documents import PATHS, some_documents
from plain_tally import Record, plain_tally, text_of
from pyspark.sql import functions as F  # noqa: N812

from kafka_topology.spark_checks.conditions.record import (
    Behind,
    Condition,
    DiffersFromField,
    EmptyKey,
    Era,
    FirstOfKey,
    Framed,
    InFuture,
    IsMoment,
    Misplaced,
    NoNumber,
    NotOfFormat,
    NotOfType,
    NotTimestampType,
    NullKey,
    NullValue,
    NumberField,
    Older,
    Repeated,
    SameAsBefore,
    Stateful,
    SupersededOverdue,
    Tombstone,
    Undetermined,
    Unframed,
)
from kafka_topology.spark_checks.engines import compiled, given_jar
from kafka_topology.spark_checks.engines.choice import best_engine
from kafka_topology.spark_checks.engines.columns.hashes import BuiltInHashes, best_hashes
from kafka_topology.spark_checks.engines.pure import PureEngine
from kafka_topology.spark_checks.reading.ranges import Pinned, Range
from kafka_topology.spark_checks.reading.reader import KafkaReader
from kafka_topology.spark_checks.reading.source import OWN
from kafka_topology.spark_checks.results.scan import Located, Overflow, Tally
from kafka_topology.topology.kafka.partitioners import HASH_PARTITIONERS

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

SCHEMA = "partition int, offset long, key binary, value binary, timestamp timestamp, timestampType int"
EPOCH = datetime(1970, 1, 1)  # noqa: DTZ001 - the session's zone is UTC
MURMUR2 = HASH_PARTITIONERS["murmur2"]
SEQUENCE = NumberField(("sequence",))
MOMENT = NumberField(("at", "time"), time=True)
EVERYTHING: tuple[Condition, ...] = (
    Misplaced(MURMUR2, (Era(2, 1_500), Era(3))),
    Misplaced(HASH_PARTITIONERS["librdkafka-consistent-random"], (Era(3),)),
    Undetermined(MURMUR2),
    Undetermined(HASH_PARTITIONERS["librdkafka-consistent-random"]),
    NullKey(),
    EmptyKey(),
    NullValue(),
    Tombstone(),
    *(NotOfType(kind) for kind in ("none", "int", "long", "uuid", "string", "bytes")),
    NotOfType("pattern", "[a-m]+"),  # one that the jar leaves to a column
    NotOfFormat("json"),
    NotOfFormat("string"),
    Framed(),
    Unframed(),
    DiffersFromField(("id",)),
    NoNumber(SEQUENCE),
    NoNumber(MOMENT),
    IsMoment(MOMENT),
    FirstOfKey(),
    *(kind(SEQUENCE, scope) for kind in (Behind, Repeated) for scope in ("key", "partition")),
    *(kind(MOMENT, scope) for kind in (Behind, Repeated) for scope in ("key", "partition")),
    Older("key"),
    Older("partition"),
    SameAsBefore(),
    SupersededOverdue(2_000),
    InFuture(2_500),
    NotTimestampType(0),
)  # fmt: skip


@pytest.fixture(scope="module")
def engine(spark: SparkSession) -> compiled.CompiledEngine:
    found = best_engine(spark, best_hashes(spark))
    assert isinstance(found, compiled.CompiledEngine), "the jar is missing: make setup"
    return found


def frame_of(spark: SparkSession, records: Iterable[Record]) -> DataFrame:
    """As the Kafka source gives them: partition by partition, by offset."""
    rows = [
        (each.partition, each.offset, each.key, each.value, EPOCH + timedelta(milliseconds=each.timestamp_ms),
         each.timestamp_type)
        for each in records
    ]  # fmt: skip
    frame = spark.createDataFrame(rows, SCHEMA)
    return frame.repartition(3, "partition").sortWithinPartitions("partition", "offset")


def in_order(tally: object) -> Tally:
    assert isinstance(tally, Tally)
    return Tally(tuple(sorted(tally.groups, key=lambda each: (each.partition, each.mask))), tally.hot_keys)


def some_records(seed: int, count: int) -> Iterator[Record]:
    """Few keys, gaps in offsets, times and numbers that go back at times, values of every kind."""
    chance = random.Random(seed)  # noqa: S311 - repeatable
    keys = [None, b"", b"\xff\xfe", "ä".encode(), b"\0\0\0\7", b"\0" * 8, b"354afe16-939a-4ea8-8e17-8bb0840b688A",
            *(f"k{number}".encode() for number in range(8)), b"abc", b"x" * 5000]  # fmt: skip
    offsets = [0, 0, 0]
    copied: dict[tuple[int, bytes | None], Record] = {}
    for number in range(count):
        partition = chance.randrange(3)
        offsets[partition] += 1 if chance.random() < 0.8 else chance.randrange(1, 50)
        key = chance.choice(keys) if chance.random() < 0.7 else b"often"
        record = Record(
            partition,
            offsets[partition],
            key,
            some_value(chance, key, number),
            number + chance.choice([0, 0, 0, -1, -700]),
            int(chance.random() < 0.1),
        )
        before = copied.get((partition, key))
        if before is not None and chance.random() < 0.2:
            record = Record(partition, record.offset, key, before.value, before.timestamp_ms)
        copied[partition, key] = record
        yield record


def some_value(chance: random.Random, key: bytes | None, number: int) -> bytes | None:
    if chance.random() < 0.1:
        return chance.choice([None, None, b"", b"{", b"[]", b'"text"', b"\0\0\0\0\7{}", b"\xff"])
    # Of 19 digits and more, beyond 64 bits, with fractions and exponents; raw JSON, as Python would round some.
    sequence = chance.choice(
        [number, number, number, number - 5, f'"{number}"', f'"{number:018}"', -number, '"x"', "null", "true",
         10**18 + number, 1_772_359_200_000_000_000 + number, 2**63 - 1 + number % 3, -(2**62) - number % 3,
         10**40 + number, -(10**40) - number, f"{number}.0", f"{number}.{number:020}", f"{number}e2", f"{number}e-3",
         f"{number}E+40", f"-{number}.5", "-0", "0.0", "1e9999999999"]
    )  # fmt: skip
    second, fraction = divmod(number, 1000)
    day = chance.choice(
        ["2026-02-28", "2026-02-28", "2026-02-28", "1969-12-31", "2024-02-29", "2026-02-30", "0001-01-02"]
    )
    clock = f"12:{second // 60:02}:{second % 60:02}"
    clock += chance.choice(
        ["", f".{fraction:03}", f",{fraction:03}", f".{fraction:03}123456", f".{fraction:03}" + "5" * 12]
    )
    clock = chance.choice([clock, clock, clock, f"10:{number % 60:02}", "24:00:00", "23:59:60"])
    text = f"{day}{chance.choice('Tt ')}{clock}"
    text += chance.choice(["", "Z", "z", "+00:00", "-0130", "+02:00", "+02", "+18:00", "+18:01", "X"])
    epoch = chance.choice(["%d", "%d.25", "%d.123456789", "%d000", "%d000000", "%d000000000"]) % (
        1_772_000_000 + number
    )
    shown = json.dumps(text)
    moment = chance.choice([shown, shown, json.dumps(day), number, epoch, '"12:00"', json.dumps(f" {text}"), "null"])
    document = {
        "id": json.dumps((key or b"?").decode(errors="replace"), ensure_ascii=chance.random() < 0.5),
        "sequence": sequence,
        "at": f'{{"time": {moment}}}',
    }
    if chance.random() < 0.1:
        del document[chance.choice(list(document))]
    return ("{" + ", ".join(f'"{name}": {member}' for name, member in document.items()) + "}").encode()


@pytest.mark.parametrize("seed", [1, 2])
def test_all_conditions_on_random_records(spark: SparkSession, engine: compiled.CompiledEngine, seed: int) -> None:
    records = list(some_records(seed, 1_500))
    frame = frame_of(spark, records).cache()
    located = Located(sum(1 << bit for bit, each in enumerate(EVERYTHING) if isinstance(each, Stateful)), 3)
    expected = in_order(plain_tally(records, EVERYTHING, located))
    assert len(expected.groups) > 100
    assert {len(each.key) for each in expected.hot_keys} == {len(b"often")}
    assert {len(each.places) for each in expected.groups} == {0, 1, 2, 3}
    assert in_order(engine.tally(frame, EVERYTHING, hot_keys=True, located=located)) == expected
    assert in_order(PureEngine(BuiltInHashes()).tally(frame, EVERYTHING, hot_keys=True, located=located)) == expected
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
    """More keys than are told, equal counts among them, and one too long to be told in full."""
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


def test_too_many_keys_overflow(spark: SparkSession, engine: compiled.CompiledEngine) -> None:
    small = compiled.compiled_engine(spark, BuiltInHashes(), most_keys=1_000)
    assert small is not None
    records = [Record(0, offset, str(offset).encode(), b"") for offset in range(1_001)]
    found = small.tally(frame_of(spark, records), [FirstOfKey()], hot_keys=False)
    assert isinstance(found, Overflow)
    assert "1000 distinct keys" in found.reason
    # Without a question about keys none is remembered, so none is too many.
    assert in_order(small.tally(frame_of(spark, records), [NullKey()], hot_keys=False)).records == 1_001
    # The memory is given back: what fits still fits, however often.
    for _ in range(3):
        assert in_order(small.tally(frame_of(spark, records[1:]), [FirstOfKey()], hot_keys=False)).records == 1_000


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
    records = [
        Record(row.partition, row.offset, *(None if each is None else bytes(each) for each in (row.key, row.value)),
               round(row.timestamp.timestamp() * 1000), row.timestampType)
        for row in frame.collect()
    ]  # fmt: skip
    assert len(records) == 600
    assert in_order(engine.tally(frame, EVERYTHING, hot_keys=True)) == in_order(plain_tally(records, EVERYTHING))
    assert compiled.records_read(spark) == read_before + 600


def test_our_own_reader_gives_the_rows_of_the_connector(
    spark: SparkSession,
    engine: compiled.CompiledEngine,
    bootstrap: str,
    create_topic: Callable[..., str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    name = create_topic(3)
    producer = Producer({"bootstrap.servers": bootstrap})
    for number, headers in enumerate(([], [("a", b"1"), ("a", None)], [("ä", b"")]) * 50):
        key = None if number % 7 == 0 else b"k%d" % (number % 5)
        value = None if number % 11 == 0 else b"{}"
        producer.produce(name, value, key, number % 3, headers=headers, timestamp=number * 1_000_003 + 1)
    assert producer.flush(30) == 0
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
from pyspark.sql import SparkSession
spark = SparkSession.builder.master("local[1]").config("spark.ui.enabled", "false").getOrCreate()
from kafka_topology.spark_checks.engines.compiled import compiled_engine
from kafka_topology.spark_checks.conditions.record import FirstOfKey
from kafka_topology.spark_checks.engines.columns.hashes import BuiltInHashes
record = "binary('k') key, binary('v') value, 0 partition, id offset, now() timestamp"
frame = spark.sql(f"select {record} from range(0, 5, 1, 1)")
print(compiled_engine(spark, BuiltInHashes()).tally(frame, [FirstOfKey()], hot_keys=False).groups)
"""


def test_a_session_that_others_started_gets_the_jar(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", NOTEBOOK], cwd=tmp_path, capture_output=True, text=True, timeout=600, check=False
    )
    assert "mask=1, records=1, first=0, last=0, bytes=2" in done.stdout, done.stderr[-2000:]
    assert "mask=0, records=4, first=1, last=4, bytes=8" in done.stdout
