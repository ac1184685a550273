"""The record checks on the topics, by each engine and by the command, as plain numbers."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any
from unittest import mock

import pyspark

from kafka_topology.spark_checks import check
from kafka_topology.spark_checks.engines.choice import best_engine
from kafka_topology.spark_checks.engines.columns.hashes import best_hashes
from kafka_topology.spark_checks.engines.pure import PureEngine
from kafka_topology.spark_checks.reading.session import start
from kafka_topology.toolchain import ensure_spark
from kafka_topology.topology import load

from .observed import Place

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

ENGINES = ("compiled", "pure")


@dataclass(frozen=True, slots=True)
class Counted:
    """What a check said of placement; `split` is how many keys are in several partitions, None if not checked."""

    status: str
    records: int
    violations: int | None
    unjudged: int
    partitions: Mapping[int, Place]
    split: int | None
    reason: str | None  # why it was not checked, or only in part


def declare(path: Path, declared: Mapping[str, str], partitions: int) -> Path:
    """A topology with a partitioner for each topic."""
    lines = [
        f"  {topic}: {{partitions: {partitions}, replication: 1,"
        f" key: {{type: bytes, partitioner: {partitioner}, nulls: allowed}}}}\n"
        for topic, partitioner in declared.items()
    ]
    path.write_text(f"version: 1\ntopics:\n{''.join(lines)}")
    return path


class Checker:
    """Asks one of the engines, never the other one in its place."""

    def __init__(self, spark: SparkSession, bootstrap: str) -> None:
        hashes = best_hashes(spark)
        best = best_engine(spark, hashes)
        if type(best) is PureEngine:
            raise RuntimeError("the compiled engine does not run here; run make setup")
        self._engines = {"compiled": best, "pure": PureEngine(hashes)}
        self._spark = spark
        self._bootstrap = bootstrap

    def counted(self, engine: str, file: Path, topic: str) -> Counted:
        loaded = load(file)
        if (topology := loaded.topology) is None:
            raise RuntimeError(f"{file} is no topology: {loaded}")
        with _no_other(engine):
            report = check(
                self._spark,
                topology,
                bootstrap_servers=self._bootstrap,
                topics=[topic],
                engine=self._engines[engine],
            )
        (found,) = report.to_json()["topics"]
        return _counted(found)


def _no_other(engine: str) -> AbstractContextManager[object]:
    """The compiled engine may hand a topic to the pure one; here that is an error."""
    if engine == "pure":
        return nullcontext()
    return mock.patch.object(PureEngine, "tally", side_effect=RuntimeError("the pure engine answered instead"))


@contextmanager
def checker(bootstrap: str, log: Path) -> Iterator[Checker]:
    session = start(jars=ensure_spark(pyspark.__version__), master="local[2]", log_file=log)
    try:
        yield Checker(session, bootstrap)
    finally:
        session.stop()


def by_command(file: Path, bootstrap: str, output: Path) -> tuple[int, dict[str, Counted]]:
    """The exit code of `kafka-topology check`, and what it said of each topic."""
    program = Path(sys.executable).with_name("kafka-topology")
    command: list[str | Path] = [program, "check", file, "--bootstrap", bootstrap, "--format", f"json={output}"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if not output.exists():
        raise RuntimeError(f"kafka-topology check ended with {done.returncode}: {done.stderr.strip()}")
    topics = json.loads(output.read_text())["topics"]
    return done.returncode, {topic["topic"]: _counted(topic) for topic in topics}


def _counted(topic: Mapping[str, Any]) -> Counted:
    results = {result["check"]: result for result in topic["results"]}
    placement = results["placement"]
    return Counted(
        placement["status"],
        topic["records"],
        placement["violations"],
        placement["unjudged"],
        {each["partition"]: (each["violations"], each["first"], each["last"]) for each in placement["partitions"]},
        results.get("single-partition", {}).get("violations"),
        topic.get("unreadable") or placement["reason"],
    )
