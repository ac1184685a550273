"""The same answers wherever Spark runs: here, on a standalone cluster with two workers, over Spark Connect."""

from __future__ import annotations

import json
import socket
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from spark_places import connect_server, standalone_cluster

from kafka_topology.sample_records import FaultKind, produce_sample
from kafka_topology.spark_checks import check
from kafka_topology.topology import load

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

TOPOLOGY = """\
version: 1
cluster: {{name: test, brokers: 3}}
topics:
  {orders}:
    partitions: 6
    replication: 1
    key: {{type: uuid, field: order_id}}
    value: {{format: json}}
  {prices}:
    partitions: 4
    replication: 1
    key: {{type: string, partitioner: librdkafka-consistent-random}}
"""
FAULTS: dict[FaultKind, int] = {"misplaced": 7, "bad-key": 3, "wrong-field": 3, "null-key": 3, "tombstone": 2}


def run(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
    program = "from kafka_topology.cli.main import main; main()"
    command = [sys.executable, "-c", program, "check", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, timeout=1800, check=False)


def test_the_results_are_the_same_everywhere(
    spark: SparkSession, bootstrap: str, create_topic: Callable[..., str], tmp_path: Path
) -> None:
    orders, prices = create_topic(6), create_topic(4)
    path = tmp_path / "topology.yaml"
    path.write_text(TOPOLOGY.format(orders=orders, prices=prices))
    topology = load(path).topology
    assert topology is not None
    produce_sample(bootstrap, topology.topics[orders], 1_000, FAULTS)
    produce_sample(bootstrap, topology.topics[prices], 500, {"misplaced": 2})
    here = check(spark, topology, bootstrap_servers=bootstrap).to_json()
    assert here["topics"][0]["records"] == 1_018
    placement = {each["check"]: each for each in here["topics"][0]["results"]}["placement"]
    assert placement["violations"] == 7

    question = (path, "--bootstrap", bootstrap, "--format", "json")
    with standalone_cluster(tmp_path / "standalone") as master:
        small = ("--spark-config", "spark.executor.memory=512m", "--spark-config", "spark.driver.host=127.0.0.1")
        done = run(*question, "--master", master, *small)
        assert done.returncode == 1, done.stderr
        assert json.loads(done.stdout) == here
        finished = (tmp_path / "standalone/master/log.txt").read_text()
        assert "Launching executor" in finished
        assert all((tmp_path / f"standalone/work-{number}").glob("app-*") for number in (1, 2))
    with connect_server(tmp_path) as remote:
        done = run(*question, "--remote", remote)
        assert done.returncode == 1, done.stderr
        assert json.loads(done.stdout) == here
        assert "Traceback" not in done.stderr
        # An error on the server is one line here too.
        done = run(*question, "--remote", remote, "--spark-config", "spark.sql.shuffle.partitions=many")
        assert done.returncode == 3, done.stderr
        assert "no Spark Connect session" in done.stderr
        assert "Traceback" not in done.stderr
        assert "many" in done.stderr


@pytest.mark.parametrize("where", ["--master=spark://127.0.0.1:{}", "--remote=sc://127.0.0.1:{}/;token=hunter2"])
def test_a_spark_that_does_not_answer_exits_3_at_once(
    bootstrap: str, create_topic: Callable[..., str], tmp_path: Path, where: str
) -> None:
    path = tmp_path / "topology.yaml"
    path.write_text(TOPOLOGY.format(orders=create_topic(6), prices=create_topic(4)))
    with socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))  # bound, not listening
        done = run(path, "--bootstrap", bootstrap, where.format(closed.getsockname()[1]))
    assert done.returncode == 3
    assert "no answer from" in done.stderr
    assert "hunter2" not in done.stderr
    assert "Traceback" not in done.stderr


def test_one_place_is_enough(tmp_path: Path) -> None:
    path = tmp_path / "topology.yaml"
    path.write_text(TOPOLOGY.format(orders="a", prices="b"))
    done = run(path, "--bootstrap", "127.0.0.1:1", "--master", "local[1]", "--remote", "sc://x")
    assert done.returncode == 2
    assert "--master or --remote" in done.stderr
