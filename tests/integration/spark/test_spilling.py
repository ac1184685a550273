"""Keys that do not fit into memory: their records go to disk and come back, and every answer stays the same."""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from delivering import SureProducer
from elsewhere import report_of
from plain_tally import Record, plain_tally
from some_records import EVERYTHING, SEQUENCE, frame_of, in_order, some_records
from spark_places import ConnectServer

from kafka_topology.spark_checks import Options, check
from kafka_topology.spark_checks.conditions.record import (
    Behind,
    FirstOfKey,
    NullKey,
    Older,
    Repeated,
    SameAsBefore,
    SupersededOverdue,
)
from kafka_topology.spark_checks.engines.columns.hashes import BuiltInHashes, best_hashes
from kafka_topology.spark_checks.engines.compiled import CompiledEngine, compiled_engine
from kafka_topology.spark_checks.engines.pure import PureEngine
from kafka_topology.spark_checks.results.scan import Tally, Wanted
from kafka_topology.topology import load
from kafka_topology.topology.model.declared import Key, Topology, Value

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

OF_KEYS = (
    FirstOfKey(),
    Behind(SEQUENCE, "key"),
    Repeated(SEQUENCE, "key"),
    Older("key"),
    SameAsBefore(),
    SupersededOverdue(2_000),
)


def small(spark: SparkSession, most_keys: int) -> CompiledEngine:
    engine = compiled_engine(spark, BuiltInHashes(), most_keys=most_keys)
    assert engine is not None, "the jar is missing: make setup"
    return engine


def bytes_spilled(spark: SparkSession) -> int:
    jvm: Any = spark.sparkContext._jvm
    return int(jvm.kafkatopology.scan.Scan.bytesSpilled())


@pytest.mark.parametrize(("seed", "most_keys"), [(11, 1), (12, 2), (13, 5), (14, 11)])
def test_all_conditions_on_random_records(spark: SparkSession, seed: int, most_keys: int) -> None:
    records = list(some_records(seed, 1_500))
    frame = frame_of(spark, records).cache()
    wanted = Wanted((1 << len(EVERYTHING)) - 1, 3)
    expected = in_order(plain_tally(records, EVERYTHING, wanted))
    before = bytes_spilled(spark)
    assert in_order(small(spark, most_keys).tally(frame, EVERYTHING, hot_keys=True, wanted=wanted)) == expected
    assert bytes_spilled(spark) > before
    if most_keys == 1:
        pure = PureEngine(BuiltInHashes()).tally(frame, EVERYTHING, hot_keys=True, wanted=wanted)
        assert in_order(pure) == expected
    frame.unpersist()


def test_the_records_for_which_a_condition_holds(spark: SparkSession) -> None:
    """As rows, in several partitions of one task: those of spilled records come later, and none twice."""
    records = list(some_records(21, 1_200))
    frame = frame_of(spark, records).coalesce(1).cache()
    conditions = (*OF_KEYS, NullKey(), Older("partition"))
    expected = plain_tally(records, conditions, Wanted((1 << len(conditions)) - 1, 10_000)).evidence
    for most_keys in (1, 3, 1_000):
        rows = small(spark, most_keys).records(frame, conditions).collect()
        given = [(r.partition, r.offset, bit) for r in rows for bit in range(len(conditions)) if r.mask >> bit & 1]
        assert sorted(given) == sorted((each.partition, each.offset, each.test) for each in expected)
        shown = {(r.partition, r.offset): (r.timestamp_ms, r.key and bytes(r.key), r.key_length) for r in rows}
        assert shown == {(e.partition, e.offset): (e.timestamp_ms, e.key, e.key_length) for e in expected}
    frame.unpersist()


def test_each_condition_alone(spark: SparkSession) -> None:
    """What is spilled of a record depends on what is asked. All partitions are in one task, one after the other."""
    records = list(some_records(15, 600))
    frame = frame_of(spark, records).coalesce(1).cache()
    for condition in (*OF_KEYS, NullKey(), Older("partition")):
        expected = in_order(plain_tally(records, [condition])).groups
        assert in_order(small(spark, 2).tally(frame, [condition], hot_keys=False)) == Tally(expected), condition
    frame.unpersist()


def test_hot_keys_from_every_part(spark: SparkSession) -> None:
    """More keys than the report shows, equal counts among them, and one too long to be shown in full."""
    chance = random.Random(5)  # noqa: S311 - repeatable
    keys = [f"key-{number:02}".encode() for number in range(60)] + [b"long" * 30_000]
    counts = {key: 100 + index // 3 for index, key in enumerate(keys)}
    sent = [key for key, count in counts.items() for _ in range(count if len(key) < 10 else 120)]
    chance.shuffle(sent)
    frame = frame_of(spark, (Record(1, offset, key, b"") for offset, key in enumerate(sent))).cache()
    expected = in_order(PureEngine(BuiltInHashes()).tally(frame, [], hot_keys=True))
    assert len(expected.hot_keys) == 10
    for most_keys in (1, 4, 30):
        assert in_order(small(spark, most_keys).tally(frame, [], hot_keys=True)) == expected
    frame.unpersist()


def test_parts_that_do_not_fit_are_split_again(spark: SparkSession) -> None:
    """20,000 keys with room for 20 at a time: three levels of files."""
    records = [
        Record(0, offset, b"key-%d" % (offset * 7919 % 20_000), b'{"sequence": %d}' % (offset % 30_011), offset % 4_001)
        for offset in range(50_000)
    ]
    frame = frame_of(spark, records).cache()
    expected = Tally(in_order(plain_tally(records, OF_KEYS)).groups)
    for _ in range(2):  # the memory is given back, and the files are gone
        assert in_order(small(spark, 20).tally(frame, OF_KEYS, hot_keys=False)) == expected
    frame.unpersist()


def test_a_topic_is_read_once(
    spark: SparkSession, bootstrap: str, create_topic: Callable[..., str], declare: Callable[..., Topology]
) -> None:
    """Planted on a real broker: numbers that go back or repeat, duplicates, and superseded records."""
    name = create_topic(3)
    producer = SureProducer({"bootstrap.servers": bootstrap, "partitioner": "murmur2_random", "linger.ms": 20})
    chance = random.Random(3)  # noqa: S311 - repeatable
    for number in range(6_000):
        sequence = number if chance.random() < 0.95 else chance.randrange(number + 1)
        value = json.dumps({"n": sequence}).encode()
        for _ in range(2 if chance.random() < 0.05 else 1):
            producer.produce(name, value, b"key-%d" % chance.randrange(900), timestamp=1_000_000 + number)
    for number in range(300):
        producer.produce(name, b'{"n": 1}', b"hot", timestamp=1_000_000 + number)
    producer.flush(60)
    key = Key("string")
    config = {"cleanup.policy": "compact", "max.compaction.lag.ms": "1000"}
    topology = declare(name, 3, key=key, ordering="per-key", value=Value("json", sequence="n"), config=config)
    before = bytes_spilled(spark)
    (found,) = check(spark, topology, bootstrap_servers=bootstrap, engine=small(spark, 40)).topics
    assert bytes_spilled(spark) > before
    pure = PureEngine(best_hashes(spark))
    (expected,) = check(spark, topology, bootstrap_servers=bootstrap, engine=pure).topics
    assert found.results == expected.results
    assert (found.hot_keys, found.notes) == (expected.hot_keys, ())
    violations = {each.check: each.violations for each in found.results}
    assert violations["order"]
    assert violations["compaction"]
    assert [hot.records for hot in found.hot_keys][:1] == [300]


def test_a_connect_server_spills_and_finds_the_same(
    spark: SparkSession, bootstrap: str, create_topic: Callable[..., str], connect: ConnectServer, tmp_path: Path
) -> None:
    """100,000 keys with room for 2,000 in a task, on a server that has neither our jar nor the connector."""
    name = create_topic(2)
    settings = {"bootstrap.servers": bootstrap, "partitioner": "murmur2_random", "linger.ms": 20}
    producer = SureProducer({**settings, "queue.buffering.max.messages": 200_000})
    chance = random.Random(8)  # noqa: S311 - repeatable
    for number in range(200_000):
        sequence = number if chance.random() < 0.99 else chance.randrange(number + 1)
        producer.produce(name, b'{"n": %d}' % sequence, b"key-%d" % (number * 7919 % 100_000), timestamp=1_000 + number)
    producer.flush(120)
    path = tmp_path / "topology.yaml"
    path.write_text(
        f"version: 1\ntopics:\n  {name}:\n    partitions: 2\n    replication: 1\n    ordering: per-key\n"
        "    key: {type: string, distinct: 100000}\n    value: {format: json, sequence: n}\n"
        "    config: {cleanup.policy: compact, max.compaction.lag.ms: 1000}\n"
    )
    now_ms = int(time.time() * 1000)
    topology = load(path).topology
    here = check(spark, topology, bootstrap_servers=bootstrap, options=Options(now_ms=now_ms))
    before = connect.bytes_spilled()
    (found,) = report_of(
        path, bootstrap, connect.address, engine="compiled", now_ms=now_ms, folder=tmp_path, most_keys=2_000
    ).topics
    assert connect.bytes_spilled() - before > 10_000_000
    assert found.results == here.topics[0].results
    violations = {each.check: each.violations for each in found.results}
    assert violations["order"]
    assert violations["compaction"]


# Records whose keys need more memory than Spark has: in a Spark of its own, with little of it.
CROWDED = """
import os, sys, time
from pathlib import Path
import pyspark
from kafka_topology.spark_checks.conditions.record import FirstOfKey, Older, SameAsBefore, SupersededOverdue
from kafka_topology.spark_checks.engines.columns.hashes import BuiltInHashes
from kafka_topology.spark_checks.engines.compiled import compiled_engine
from kafka_topology.spark_checks.reading.session import start
from kafka_topology.spark_checks.reading.spark_errors import in_one_line
from kafka_topology.toolchain import ensure_spark

folder, keys, length = Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])
settings = {"spark.driver.memory": "512m", "spark.local.dir": str(folder)}
spark = start(jars=ensure_spark(pyspark.__version__), master="local[2]", settings=settings)
key = f"binary(rpad(string(id % {keys}), {length}, '.')) key"
moment = f"timestamp_millis(id % {2 * keys}) timestamp"
record = f"{key}, binary('v') value, int(id div {2 * keys}) partition, id offset, {moment}"
# Two tasks, one for each partition, and each key twice in it.
frame = spark.sql(f"select {record} from range(0, {4 * keys}, 1, 2)")
engine = compiled_engine(spark, BuiltInHashes(), most_keys=int(sys.argv[4]))
jvm = spark.sparkContext._jvm
java = Path("/proc", str(jvm.java.lang.ProcessHandle.current().pid()))

def left():
    names = [os.readlink(each) for each in (java / "fd").iterdir() if each.is_symlink()]
    names += [str(each) for each in folder.rglob("*")]
    return sum("temp_local" in each for each in names)

try:
    conditions = [FirstOfKey(), Older("key"), SameAsBefore(), SupersededOverdue(3 * keys // 2)]
    found = engine.tally(frame, conditions, hot_keys=True)
    counted = sorted((group.partition, group.mask, group.records) for group in found.groups)
    print(counted, jvm.kafkatopology.scan.Scan.bytesSpilled() > 0, left())
except Exception as error:
    # The other task learns of the failure a moment later.
    deadline = time.monotonic() + 60
    while left() and time.monotonic() < deadline:
        time.sleep(0.1)
    print(in_one_line(error), left())
"""


def crowded(tmp_path: Path, *numbers: int, limit: str = "") -> str:
    # `ulimit` cannot be taken back, so it is for this process only.
    program = [sys.executable, "-c", CROWDED, str(tmp_path), *map(str, numbers)]
    done = subprocess.run(
        ["bash", "-c", f'{limit} exec "$@"', "crowded", *program],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
        env={name: value for name, value in os.environ.items() if name != "SPARK_LOCAL_DIRS"},
    )
    assert done.stdout, done.stderr[-2000:]
    return done.stdout.strip()


def test_more_keys_than_the_heap_holds(tmp_path: Path) -> None:
    keys = 1_000_000
    # Each key twice: the second record, then the first ones that were superseded late, and those in time.
    of_partition = ((0, keys), (1, keys // 2), (9, keys // 2))
    expected = [(partition, *each) for partition in (0, 1) for each in of_partition]
    assert crowded(tmp_path, keys, 12, 2**31 - 1) == f"{expected} True 0"


def test_a_full_disk_is_named(tmp_path: Path) -> None:
    """A limit on the size of files stands for the disk."""
    said = crowded(tmp_path, 400, 1_000_000, 1, limit="ulimit -f 16000;")
    assert "could not be kept in" in said
    assert str(tmp_path) in said
    assert "spark.local.dir" in said
    assert said.endswith(" 0")
