"""Checks the records over Spark Connect, once for each line on standard input: `spark_check.py` starts this.

Python cannot have a session of Spark Connect beside one that is not, hence the process of its own.
"""

from __future__ import annotations

import sys
import time
from pathlib import Path

import pyspark

from kafka_topology.spark_checks import check
from kafka_topology.spark_checks.engines.columns.hashes import best_hashes
from kafka_topology.spark_checks.engines.compiled import compiled_engine
from kafka_topology.spark_checks.reading.reader import KafkaReader
from kafka_topology.spark_checks.reading.session import start
from kafka_topology.toolchain import ensure_spark
from kafka_topology.topology import load


def main() -> None:
    remote, servers, path, records = sys.argv[1:]
    topology = load(Path(path)).topology
    assert topology is not None
    spark = start(jars=ensure_spark(pyspark.__version__), remote=remote)
    hashes = best_hashes(spark)
    engine = compiled_engine(spark, hashes)
    assert engine is not None, "the jar is missing: make setup"
    reader = KafkaReader({"bootstrap.servers": servers})
    reader.pin(list(topology.topics))
    for _ in sys.stdin:
        began = time.perf_counter()
        (report,) = check(spark, topology, reader=reader, engine=engine, hashes=hashes).topics
        assert (report.records, report.violations) == (int(records), 0), report
        print(time.perf_counter() - began, flush=True)
    spark.stop()


if __name__ == "__main__":
    main()
