"""A partitioner that is one entry of one table: Spark places keys by it, and recognises who used it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

SUPPORT = Path(__file__).parents[2] / "support"
TOPOLOGY = """\
version: 1
topics:
  right: {partitions: 6, replication: 1, key: {type: string, partitioner: acme}}
  wrong: {partitions: 6, replication: 1, key: {type: string, partitioner: murmur2}}
"""
PROGRAM = """
import new_partitioner
import json, sys, zlib
from datetime import datetime, UTC
from pyspark.sql import SparkSession
from kafka_topology.spark_checks import check
from kafka_topology.spark_checks.engines.columns.hashes import BuiltInHashes
from kafka_topology.spark_checks.engines.pure import PureEngine
from kafka_topology.spark_checks.reading.reader import FrameReader
from kafka_topology.topology import load

quick = {"spark.ui.enabled": "false", "spark.sql.shuffle.partitions": "2"}  # 200 are for real data
spark = SparkSession.builder.master("local[1]").config(map=quick).getOrCreate()
columns = "key binary, value binary, partition int, offset long, timestamp timestamp, timestampType int"
keys = [f"key-{number}".encode() for number in range(300)]
placed = sorted(((zlib.crc32(key) & 0x7FFFFFFF) % 6, key) for key in keys)
rows = [(key, b"{}", partition, offset, datetime(2026, 3, 1, tzinfo=UTC), 0)
        for offset, (partition, key) in enumerate(placed)]
frame = spark.createDataFrame(rows, columns).coalesce(1)
reader = FrameReader({"right": frame, "wrong": frame}, {"right": 6, "wrong": 6})
topology = load(sys.argv[1]).topology
found = {}
for name, engine in (("pure", PureEngine(BuiltInHashes())), ("best", None)):
    report = check(spark, topology, reader=reader, engine=engine)
    found[name] = {topic.topic: (topic.unreadable, topic.results[0].check, topic.results[0].status,
                                 topic.results[0].violations, topic.results[0].cause) for topic in report.topics}
print(json.dumps(found))
"""


def test_keys_are_hashed_as_the_entry_says(tmp_path: Path) -> None:
    file = tmp_path / "topology.yaml"
    file.write_text(TOPOLOGY)
    environment = {**os.environ, "PYTHONPATH": str(SUPPORT)}
    command = [sys.executable, "-c", PROGRAM, str(file)]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert found["pure"] == found["best"]
    assert found["pure"]["right"] == [None, "placement", "exact", 0, None]
    unreadable, check, status, violations, cause = found["pure"]["wrong"]
    assert (unreadable, check, status) == (None, "placement", "exact")
    assert violations > 200
    assert cause.startswith(
        f"a producer that uses crc32 (Acme's partitioner): it explains {violations} of {violations}"
    )
