"""Checks one topic in a Spark of its own and prints what that took, as JSON: `python -m scale` starts this."""

from __future__ import annotations

import argparse
import json
import os
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyspark

from kafka_topology.spark_checks import check
from kafka_topology.spark_checks.engines.columns.hashes import best_hashes
from kafka_topology.spark_checks.engines.compiled import compiled_engine
from kafka_topology.spark_checks.reading.ranges import Pinned
from kafka_topology.spark_checks.reading.reader import KafkaReader
from kafka_topology.spark_checks.reading.session import start
from kafka_topology.toolchain import ensure_spark
from kafka_topology.topology import load

WARM_UP = "scale.warm"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("servers")
    parser.add_argument("topology", type=Path)
    parser.add_argument("topic")
    parser.add_argument("--master", required=True)
    parser.add_argument("--repeat", type=int, required=True)
    parser.add_argument("--most-keys", type=int, default=2**31 - 1)
    parser.add_argument("--without-bare", action="store_true")
    asked = parser.parse_args()
    topology = load(asked.topology).topology
    assert topology is not None
    with tempfile.TemporaryDirectory() as folder:
        jars = ensure_spark(pyspark.__version__)
        spark = start(jars=jars, master=asked.master, log_file=Path(folder, "spark.log"))
        jvm: Any = spark.sparkContext._jvm  # noqa: SLF001 - there is no public way to it
        java = Path("/proc", str(jvm.java.lang.ProcessHandle.current().pid()))
        hashes = best_hashes(spark)
        engine = compiled_engine(spark, hashes, most_keys=asked.most_keys)
        assert engine is not None, "the jar is missing: make setup"

        def checked(topic: str) -> Any:
            reader = KafkaReader({"bootstrap.servers": asked.servers})
            (report,) = check(spark, topology, reader=reader, topics=[topic], engine=engine, hashes=hashes).topics
            assert report.unreadable is None, report.unreadable
            return report

        def bare(topic: str) -> None:
            reader = KafkaReader({"bootstrap.servers": asked.servers})
            pinned = reader.pin([topic])[topic]
            assert isinstance(pinned, Pinned)
            reader.read(spark, pinned).write.format("noop").mode("overwrite").save()

        for _ in range(3):
            checked(WARM_UP)
            bare(WARM_UP)
        turns: list[dict[str, float]] = []
        found: Any = None
        spilled = 0
        for turn in range(asked.repeat):
            taken: dict[str, float] = {}
            if not asked.without_bare:
                taken |= _timed("bare", java, lambda: bare(asked.topic))
            if turn == 0:
                (java / "clear_refs").write_text("5")  # the peak of memory starts here
            before = jvm.kafkatopology.scan.Scan.bytesSpilled()
            reports: list[Any] = []
            taken |= _timed("check", java, lambda into=reports: into.append(checked(asked.topic)))  # type: ignore[misc]
            found = reports[0]
            spilled = jvm.kafkatopology.scan.Scan.bytesSpilled() - before
            turns.append(taken)
        json.dump(
            {
                "records": found.records,
                "checks": {each.check: [each.status, each.violations, dict(each.metrics)] for each in found.results},
                "spilled": spilled,
                "peak": _peak(java),
                "load": os.getloadavg()[0],
                **{name: statistics.median(turn[name] for turn in turns) for name in turns[0]},
            },
            sys.stdout,
        )
        spark.stop()


def _timed(name: str, java: Path, work: Callable[[], object]) -> dict[str, float]:
    began, cpu = time.perf_counter(), cpu_seconds(java)
    work()
    return {f"{name}Seconds": time.perf_counter() - began, f"{name}Cpu": cpu_seconds(java) - cpu}


def cpu_seconds(process: Path) -> float:
    """Of the process and all its threads, so far."""
    fields = (process / "stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def _peak(process: Path) -> int:
    """The most memory that the process had, in bytes."""
    (line,) = (each for each in (process / "status").read_text().splitlines() if each.startswith("VmHWM"))
    return int(line.split()[1]) << 10


if __name__ == "__main__":
    main()
