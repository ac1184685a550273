"""How fast live records are checked, against reading the same records from the same broker and doing nothing.

python benchmarks/spark_check.py                          5,000,000 records, about 15 minutes
python benchmarks/spark_check.py --records 500000 --repeat 5 --without-pure
python benchmarks/spark_check.py --records 1000000 --faults         what violations cost

What is measured, in turn, so that a busy machine hurts all alike:
  bare scan     Spark's Kafka source, tuned as `check` tunes it; rows are read and thrown away (Spark's `noop` sink)
  default scan  the same with the source's default options, and Spark's default reader for them
  consumer      a plain Python consumer (confluent_kafka, 10,000 records a call, never at rest) that only counts
  check         `check` with placement, key type, key = JSON field, nulls, duplicates, order by a sequence, timestamps
                and skew, by the compiled engine
  connect       the same by the compiled engine on a Spark Connect server of this machine, which has no Kafka connector
  pure          the same by the pure engine, here
With --faults, instead of all but the bare scan and the check:
  0.1 %, 10 %   the check of topics with so many misplaced records, each of them a key that is in two partitions
  10 % rows     besides that check, every violation as a row of a DataFrame, which is thrown away

The promise: check is at least 0.85 of the bare scan, faster than the default scan, and as fast as the consumer. Over
Spark Connect it takes at most 1.5 times as long. Rates are medians. `cpu` is the processor time of the reader alone,
which a busy machine distorts less than the clock: that of Spark's process, or of the consumer's; the broker's is not in
it.
"""

from __future__ import annotations

import argparse
import os
import random
import socket
import statistics
import subprocess
import sys
import tempfile
import time
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path

import pyspark
from confluent_kafka import Consumer, Producer, TopicPartition
from confluent_kafka.admin import AdminClient, NewTopic
from pyspark.sql import DataFrame, SparkSession
from results import Goal, json_option, save

from kafka_topology.local import LocalCluster
from kafka_topology.spark_checks import check
from kafka_topology.spark_checks.engines.columns.hashes import best_hashes
from kafka_topology.spark_checks.engines.compiled import compiled_engine
from kafka_topology.spark_checks.engines.pure import PureEngine
from kafka_topology.spark_checks.reading.offsets import Pinned
from kafka_topology.spark_checks.reading.reader import TUNED, KafkaReader
from kafka_topology.spark_checks.reading.session import start
from kafka_topology.toolchain import ensure_spark
from kafka_topology.topology import Topology, load
from kafka_topology.topology.kafka.partitioners import HASH_PARTITIONERS

TOPIC, SOME, MANY = "bench", "bench-some", "bench-many"
FAULTS = {TOPIC: 0.0, SOME: 0.001, MANY: 0.1}  # the share of misplaced records
TOPOLOGY = """\
version: 1
topics:
"""
DECLARED = """\
  {topic}:
    partitions: {partitions}
    replication: 1
    ordering: per-key
    key: {{type: uuid, field: order_id, partitioner: murmur2, nulls: forbidden}}
    value: {{format: json, sequence: sequence}}
"""
READERS = "spark.sql.sources.useV1SourceList"  # Spark's default has kafka in it
BARE, DEFAULT, CONSUMER, CHECK, PURE = "bare scan", "default scan", "consumer", "check", "pure"
CONNECT = "connect"
CHECK_SOME, CHECK_MANY, ROWS = "0.1 %", "10 %", "10 % rows"
PROMISED = {BARE: 0.85, DEFAULT: 1.0, CONSUMER: 1.0}
LONGER_OVER_CONNECT = 1.5


@dataclass(frozen=True)
class Measured:
    seconds: float
    cpu: float


def produce(servers: str, topic: str, records: int, keys: int, partitions: int) -> None:
    admin = AdminClient({"bootstrap.servers": servers})  # kept: without it the answer never comes
    admin.create_topics([NewTopic(topic, partitions, 1)])[topic].result(60)
    murmur2 = HASH_PARTITIONERS["murmur2"]
    chance = random.Random(1)  # noqa: S311 - repeatable
    names = [str(uuid.UUID(int=chance.getrandbits(128), version=4)) for _ in range(keys)]
    producer = Producer(
        {
            "bootstrap.servers": servers,
            "partitioner": "murmur2_random",
            "linger.ms": 50,
            "batch.size": 1 << 20,
            "queue.buffering.max.messages": 500_000,
            "delivery.report.only.error": True,
        }
    )
    for number in range(records):
        name = chance.choice(names)
        value = f'{{"order_id": "{name}", "sequence": {number}, "status": "paid", "amount": {number % 1000}.5}}'
        partition = -1  # that of the producer's partitioner
        if chance.random() < FAULTS[topic]:
            partition = (int(str(murmur2.partition(name.encode(), partitions))) + 1) % partitions
        while True:
            try:
                producer.produce(topic, value, name, partition)
                break
            except BufferError:
                producer.poll(0.1)
    assert producer.flush(120) == 0


def count(servers: str, pinned: Pinned) -> int:
    settings = {"bootstrap.servers": servers, "group.id": "bench", "enable.auto.commit": False}
    consumer = Consumer(settings | {"fetch.queue.backoff.ms": 10})  # by default it rests for a second when it is ahead
    consumer.assign([TopicPartition(TOPIC, part.partition, part.start) for part in pinned.filled])
    wanted = sum(part.end - part.start for part in pinned.filled)
    counted = 0
    while counted < wanted:
        counted += len(consumer.consume(10_000, 1.0))
    consumer.close()
    return counted


def read_and_throw_away(frame: DataFrame) -> None:
    frame.write.format("noop").mode("overwrite").save()


@contextmanager
def default_options(spark: SparkSession) -> Iterator[None]:
    kept, readers = dict(TUNED), spark.conf.get(READERS)
    TUNED.clear()
    spark.conf.set(READERS, f"{readers},kafka")
    try:
        yield
    finally:
        spark.conf.set(READERS, readers)
        TUNED.update(kept)


def cpu_seconds(pid: int) -> float:
    """Of the process and all its threads, so far."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


class ConnectServer:
    """A server as large as the Spark here, and a client that checks when it is asked to."""

    def __init__(self, folder: Path, servers: str, topology: Path, records: int) -> None:
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        home = Path(pyspark.__file__).parent
        settings = {
            "spark.connect.grpc.binding.address": "127.0.0.1",
            "spark.connect.grpc.binding.port": port,
            "spark.driver.memory": "2g",
            "spark.sql.shuffle.partitions": 4,
            "spark.ui.enabled": "false",
        }
        conf = [word for name, value in settings.items() for word in ("--conf", f"{name}={value}")]
        kind = ["--class", "org.apache.spark.sql.connect.service.SparkConnectServer", "--master", "local[*]"]
        with Path(folder, "connect.log").open("wb") as log:
            self._server = subprocess.Popen(
                [str(home / "bin/spark-submit"), *kind, *conf, "spark-internal"],
                stdout=log,
                stderr=subprocess.STDOUT,
                cwd=folder,
                env={**os.environ, "SPARK_LOCAL_IP": "127.0.0.1", "SPARK_HOME": str(home)},
            )
        self.pid = self._server.pid
        self._wait_for(port)
        client = [sys.executable, str(Path(__file__).with_name("connect_client.py"))]
        client += [f"sc://127.0.0.1:{port}", servers, str(topology), str(records)]
        self._client = subprocess.Popen(client, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def _wait_for(self, port: int) -> None:
        while True:
            assert self._server.poll() is None, "the Spark Connect server ended"
            with socket.socket() as client:
                if client.connect_ex(("127.0.0.1", port)) == 0:
                    return
            time.sleep(0.2)

    def check(self) -> float:
        """The seconds that the check took."""
        assert self._client.stdin is not None
        assert self._client.stdout is not None
        self._client.stdin.write("check\n")
        self._client.stdin.flush()
        return float(self._client.stdout.readline())

    def stop(self) -> None:
        for process in (self._client, self._server):
            process.terminate()
            process.wait()


class Bench:
    def __init__(self, spark: SparkSession, servers: str, topology: Topology) -> None:
        self.server: ConnectServer | None = None
        self._spark = spark
        self._servers = servers
        self._topology = topology
        self._reader = KafkaReader({"bootstrap.servers": servers})
        pinned = self._reader.pin([TOPIC])[TOPIC]
        assert isinstance(pinned, Pinned)
        self._pinned = pinned
        self.records = sum(part.end - part.start for part in pinned.filled)
        self._java = int(spark.sparkContext._jvm.java.lang.ProcessHandle.current().pid())  # type: ignore[union-attr]  # noqa: SLF001
        self.work: dict[str, Callable[[], None]] = {
            BARE: lambda: read_and_throw_away(self._read()),
            DEFAULT: self._scan_by_default,
            CONSUMER: self._count,
            CHECK: lambda: self._check(pure=False),
            CONNECT: self._check_over_connect,
            PURE: lambda: self._check(pure=True),
            CHECK_SOME: lambda: self._check_faulty(SOME, rows=False),
            CHECK_MANY: lambda: self._check_faulty(MANY, rows=False),
            ROWS: lambda: self._check_faulty(MANY, rows=True),
        }

    def measure(self, name: str) -> Measured:
        pid = os.getpid() if name == CONSUMER else self._java
        if name == CONNECT and self.server is not None:
            pid = self.server.pid
        began, cpu = time.perf_counter(), cpu_seconds(pid)
        self.work[name]()
        return Measured(time.perf_counter() - began, cpu_seconds(pid) - cpu)

    def _read(self) -> DataFrame:
        return self._reader.read(self._spark, self._pinned)

    def _scan_by_default(self) -> None:
        with default_options(self._spark):
            read_and_throw_away(self._read())

    def _count(self) -> None:
        assert count(self._servers, self._pinned) == self.records

    def _check_over_connect(self) -> None:
        assert self.server is not None
        self.server.check()

    def _check(self, *, pure: bool) -> None:
        hashes = best_hashes(self._spark)
        engine = PureEngine(hashes) if pure else compiled_engine(self._spark, hashes)
        assert engine is not None, "the jar is missing: make setup"
        (report,) = check(self._spark, self._topology, reader=self._reader, engine=engine, topics=[TOPIC]).topics
        assert report.records == self.records, (report.records, report.unreadable, report.notes)
        violations = {result.check: result.violations for result in report.results if result.violations}
        assert not violations, violations
        checked = {result.check for result in report.results if result.status == "exact"}
        assert checked >= {"placement", "key-type", "key-field", "nulls", "order", "timestamps", "skew"}, checked

    def _check_faulty(self, topic: str, *, rows: bool) -> None:
        found = check(self._spark, self._topology, reader=self._reader, topics=[topic])
        counts = {result.check: result.violations or 0 for result in found.topics[0].results}
        assert 0.8 * FAULTS[topic] < counts["placement"] / self.records < 1.2 * FAULTS[topic], counts
        assert counts["single-partition"] > 0, counts
        if rows:
            read_and_throw_away(found.violations(self._spark))


def report(bench: Bench, runs: dict[str, list[Measured]], file: Path | None) -> bool:
    """Prints rates and promises, writes them to the file, and returns whether all promises are kept."""
    rates = {name: bench.records / statistics.median(run.seconds for run in each) for name, each in runs.items()}
    cpu = {name: statistics.median(run.cpu for run in each) / bench.records for name, each in runs.items()}
    print(f"\n{'':13} {'records/s':>10} {'of bare':>8} {'cpu µs/record':>14} {'of bare':>8}   seconds")
    for name, each in runs.items():
        seconds = " ".join(f"{run.seconds:.1f}" for run in each)
        print(
            f"{name:13} {rates[name]:10,.0f} {rates[name] / rates[BARE]:8.2f} {cpu[name] * 1e6:14.2f}"
            f" {cpu[name] / cpu[BARE]:8.2f}   {seconds}"
        )
    goals = []
    for other, ratio in PROMISED.items():
        if other not in rates:
            continue
        goal = Goal(f"check against {other}, records a second", rates[CHECK] / rates[other], ratio, at_least=True)
        goals.append(goal)
        print(f"check against {other}: {goal.measured:.2f}, promised {ratio}: {_kept(goal)}")
    if CONNECT in rates:
        goal = Goal("connect / check, seconds", rates[CHECK] / rates[CONNECT], LONGER_OVER_CONNECT)
        goals.append(goal)
        print(
            f"connect takes {goal.measured:.2f} times as long as check, promised at most {LONGER_OVER_CONNECT}:"
            f" {_kept(goal)}"
        )
    save(file, goals, [{"name": name, "runs": [asdict(run) for run in each]} for name, each in runs.items()])
    return all(goal.met for goal in goals)


def _kept(goal: Goal) -> str:
    return "kept" if goal.met else "MISSED"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--records", type=int, default=5_000_000)
    parser.add_argument("--keys", type=int, help="distinct keys (default: a fifth of the records)")
    parser.add_argument("--partitions", type=int, default=12)
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--without-pure", action="store_true", help="leave out the pure engine, which takes longest")
    parser.add_argument("--without-connect", action="store_true", help="leave out Spark Connect")
    parser.add_argument("--only-bare", action="store_true", help="the compiled engine against the bare scan alone")
    parser.add_argument("--faults", action="store_true", help="what violations cost")
    parser.add_argument("--data", type=Path, help="keep the broker's data there, to measure again without producing")
    json_option(parser)
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "topology.yaml")
        topics = list(FAULTS) if asked.faults else [TOPIC]
        declared = (DECLARED.format(topic=topic, partitions=asked.partitions) for topic in topics)
        file.write_text(TOPOLOGY + "".join(declared))
        topology = load(file).topology
        assert topology is not None
        data = asked.data or Path(folder, "kafka")
        with LocalCluster(data, brokers=1, delete_on_exit=asked.data is None) as kafka:
            servers = kafka.bootstrap_servers
            there = AdminClient({"bootstrap.servers": servers}).list_topics(timeout=30).topics
            for topic in topics:
                if topic not in there:
                    print(f"producing {asked.records:,} records of {topic}", flush=True)
                    produce(servers, topic, asked.records, asked.keys or max(1, asked.records // 5), asked.partitions)
            spark = start(jars=ensure_spark(pyspark.__version__), log_file=Path(folder, "spark.log"))
            bench = Bench(spark, servers, topology)
            try:
                left_out = {DEFAULT, CONSUMER, CONNECT, PURE} if asked.only_bare or asked.faults else set()
                left_out |= set() if asked.faults else {CHECK_SOME, CHECK_MANY, ROWS}
                left_out |= {PURE} if asked.without_pure else set()
                left_out |= {CONNECT} if asked.without_connect else set()
                if CONNECT not in left_out:
                    bench.server = ConnectServer(Path(folder), servers, file, bench.records)
                names = [name for name in bench.work if name not in left_out]
                print(
                    f"{bench.records:,} records, {os.cpu_count()} cores; a round to warm up, then {asked.repeat}",
                    flush=True,
                )
                runs: dict[str, list[Measured]] = {name: [] for name in names}
                for turn in range(asked.repeat + 1):
                    for name in names:
                        load_before = os.getloadavg()[0]
                        run = bench.measure(name)
                        taken = f"{run.seconds:6.1f} s {run.cpu:6.1f} s cpu, load before {load_before:.1f}"
                        print(f"{turn} {name:13} {taken}", flush=True)
                        if turn > 0:
                            runs[name].append(run)
                return 0 if report(bench, runs, asked.json) else 1
            finally:
                if bench.server is not None:
                    bench.server.stop()
                spark.stop()


if __name__ == "__main__":
    sys.exit(main())
