"""What a block of a sample costs, in records that are read in the same time: SEEK_COSTS and TASK_COSTS of
`spark_checks/reading/selection.py`.

python benchmarks/sampling.py                            2,000,000 records, a few minutes

A tenth of a topic is read in few and in many blocks, by the compiled engine, which seeks, and by the pure one, for
which each block is a task. The difference is what the blocks cost; the whole topic says what a record costs.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyspark
from results import json_option, save
from scale.case import cpu_seconds
from scale.topics import Size, write

from kafka_topology.local import LocalCluster
from kafka_topology.spark_checks.conditions.record import Condition, Era, Misplaced, NotOfType, NullKey
from kafka_topology.spark_checks.engines.columns.hashes import best_hashes
from kafka_topology.spark_checks.engines.compiled import CompiledEngine, compiled_engine
from kafka_topology.spark_checks.engines.pure import PureEngine
from kafka_topology.spark_checks.reading import selection
from kafka_topology.spark_checks.reading.ranges import Pinned
from kafka_topology.spark_checks.reading.reader import KafkaReader
from kafka_topology.spark_checks.reading.selection import Sample, Selection, chosen
from kafka_topology.spark_checks.reading.session import start
from kafka_topology.toolchain import ensure_spark
from kafka_topology.topology.kafka.partitioners import HASH_PARTITIONERS

TOPIC = "sampled"
CONDITIONS: tuple[Condition, ...] = (Misplaced(HASH_PARTITIONERS["murmur2"], (Era(2),)), NotOfType("uuid"), NullKey())
SHARE = 0.1
DEFAULT_BATCH = 16 << 10  # of Kafka's producers: a block costs at least a batch


@dataclass(frozen=True)
class Taken:
    """Seconds. `cpu` is the processor time of Spark's process."""

    clock: float
    cpu: float


class Bench:
    def __init__(self, spark: Any, servers: str, repeat: int) -> None:
        self.spark = spark
        self.java = Path("/proc", str(spark.sparkContext._jvm.java.lang.ProcessHandle.current().pid()))  # noqa: SLF001
        self.reader = KafkaReader({"bootstrap.servers": servers})
        whole = self.reader.pin([TOPIC])[TOPIC]
        assert isinstance(whole, Pinned)
        self.whole = whole
        self.repeat = repeat
        engine = compiled_engine(spark, best_hashes(spark))
        assert isinstance(engine, CompiledEngine), "the jar is missing: make setup"
        self.compiled = engine
        self.pure = PureEngine(best_hashes(spark))

    def drawn(self, blocks: int) -> Pinned:
        kept = selection.SEEK_COSTS
        offsets = sum(part.offsets for part in self.whole.filled)
        selection.SEEK_COSTS = max(1, int(SHARE * offsets) // blocks)
        try:
            return chosen(Selection(sample=Sample(SHARE, 1, strict=True)), self.whole)
        finally:
            selection.SEEK_COSTS = kept

    def taken(self, work: Callable[[], object]) -> Taken:
        """Medians, after a first time."""
        turns = []
        for _ in range(self.repeat + 1):
            began, cpu = time.perf_counter(), cpu_seconds(self.java)
            work()
            turns.append((time.perf_counter() - began, cpu_seconds(self.java) - cpu))
        clock, cpus = zip(*turns[1:], strict=True)
        return Taken(statistics.median(clock), statistics.median(cpus))

    def by_compiled(self, pinned: Pinned) -> None:
        if pinned.sample is None:
            self.compiled.tally(self.reader.read(self.spark, pinned), CONDITIONS, hot_keys=False)
            return
        around = self.reader.read_around(self.spark, pinned)
        found = self.compiled.tally_blocks(around, pinned.filled, CONDITIONS, hot_keys=False)
        assert found is not None
        assert found.records == pinned.sample.offsets

    def by_pure(self, pinned: Pinned) -> None:
        self.pure.tally(self.reader.read(self.spark, pinned), CONDITIONS, hot_keys=False)

    def told(self, name: str, work: Callable[[Pinned], None], few: int, many: int) -> list[dict[str, object]]:
        rows: list[dict[str, object]] = []
        one, other = self.drawn(few), self.drawn(many)
        whole, less, more = (self.taken(lambda read=each: work(read)) for each in (self.whole, one, other))  # type: ignore[misc]
        unread = sum(part.offsets for part in self.whole.filled) - sum(part.offsets for part in one.filled)
        blocks = len(other.filled) - len(one.filled)
        for kind in ("clock", "cpu"):
            all_, some, rest = (getattr(each, kind) for each in (whole, less, more))
            record = (all_ - some) / unread  # what starts a job is in both
            block = (rest - some) / blocks
            print(
                f"{name} by {kind}: all {all_:.2f} s, {len(one.filled)} blocks {some:.2f} s, {len(other.filled)} blocks"
                f" {rest:.2f} s; a block takes {block * 1e3:.2f} ms, as long as {block / record:,.0f} records",
                flush=True,
            )
            rows.append({"engine": name, "by": kind, "block": block, "record": record})
        return rows


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--records", type=int, default=2_000_000)
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--without-pure", action="store_true", help="leave out the pure engine, which takes longest")
    json_option(parser)
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder, LocalCluster(Path(folder, "kafka"), brokers=1) as kafka:
        write(kafka.bootstrap_servers, TOPIC, Size(asked.records, asked.records // 10, batch=DEFAULT_BATCH))
        spark = start(jars=ensure_spark(pyspark.__version__), log_file=Path(folder, "spark.log"))
        bench = Bench(spark, kafka.bootstrap_servers, asked.repeat)
        rows = bench.told("compiled", bench.by_compiled, 20, 500)
        if not asked.without_pure:
            rows += bench.told("pure", bench.by_pure, 20, 100)
        spark.stop()
    save(asked.json, (), rows)
    return 0


if __name__ == "__main__":
    sys.exit(main())
