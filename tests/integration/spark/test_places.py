"""The same answers wherever Spark runs: here, on a standalone cluster with two workers, over Spark Connect."""

from __future__ import annotations

import json
import os
import re
import socket
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyspark
import pytest
from confluent_kafka.admin import AdminClient, NewTopic
from elsewhere import report_of
from planted_formats import violations, write_files, write_records
from spark_places import OF_EXECUTORS, ConnectServer, connect_server, standalone_cluster

from kafka_topology.sample_records import FaultKind, produce_sample
from kafka_topology.spark_checks import check
from kafka_topology.spark_checks.engines.columns.hashes import BuiltInHashes
from kafka_topology.spark_checks.engines.pure import PureEngine
from kafka_topology.toolchain import ensure_spark
from kafka_topology.topology import load
from kafka_topology.topology.model.declared import Topology

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

TOPOLOGY = """\
version: 1
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
GIVEN_CLIENT = re.compile(r"artifacts/\S+/kafka-clients")  # Kafka's client, as an artifact of a session
FAULTS: dict[FaultKind, int] = {"misplaced": 7, "bad-key": 3, "wrong-field": 3, "null-key": 3, "tombstone": 2}


def run(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
    program = "from kafka_topology.cli.main import main; main()"
    command = [sys.executable, "-c", program, "check", *map(str, arguments)]
    # Workers run our own Python, which has what a schema's validator needs.
    environment = {**os.environ, "PYSPARK_PYTHON": sys.executable}
    return subprocess.run(command, capture_output=True, text=True, timeout=1800, check=False, env=environment)


@pytest.fixture(scope="module")
def folder(bootstrap: str, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A topology whose topics are full of faults of every kind."""
    name = f"places.{os.getpid()}"
    folder = write_files(tmp_path_factory.mktemp("places") / "files", name).parent
    write_records(bootstrap, name)
    orders, prices = f"{name}.orders", f"{name}.prices"
    path = folder / "orders.yaml"
    path.write_text(TOPOLOGY.format(orders=orders, prices=prices))
    topics = declared(path).topics
    admin = AdminClient({"bootstrap.servers": bootstrap})
    for created in admin.create_topics([NewTopic(each.name, each.partitions, 1) for each in topics.values()]).values():
        created.result(60)
    produce_sample(bootstrap, topics[orders], 1_000, FAULTS)
    produce_sample(bootstrap, topics[prices], 500, {"misplaced": 2})
    return folder


@pytest.fixture(scope="module")
def here(spark: SparkSession, bootstrap: str, folder: Path) -> dict[str, Any]:
    """What the compiled engine finds in this process."""
    return check(spark, declared(folder), bootstrap_servers=bootstrap).to_json()


def declared(path: Path) -> Topology:
    topology = load(path).topology
    assert topology is not None
    return topology


def of_orders(report: dict[str, Any]) -> list[dict[str, Any]]:
    """The two topics that take no decoding."""
    return [each for each in report["topics"] if each["topic"].endswith((".orders", ".prices"))]


def test_the_pure_engine_finds_the_same(
    spark: SparkSession, bootstrap: str, folder: Path, here: dict[str, Any]
) -> None:
    orders, prices = of_orders(here)
    assert (orders["records"], prices["records"]) == (1_018, 502)
    placement = {each["check"]: each for each in orders["results"]}["placement"]
    assert placement["violations"] == 7
    formats = {"topics": [each for each in here["topics"] if each not in (orders, prices)]}
    assert violations(formats) >= {
        "placement", "key-type", "key-field", "nulls", "order", "headers", "value-schema", "single-partition",
    }  # fmt: skip
    engine = PureEngine(BuiltInHashes())
    assert check(spark, declared(folder), bootstrap_servers=bootstrap, engine=engine).to_json() == here


def test_a_standalone_cluster_finds_the_same(
    bootstrap: str, folder: Path, here: dict[str, Any], tmp_path: Path
) -> None:
    with standalone_cluster(tmp_path / "standalone") as master:
        small = [word for setting in OF_EXECUTORS.items() for word in ("--spark-config", "=".join(setting))]
        done = run(folder, "--bootstrap", bootstrap, "--format", "json", "--master", master, *small)
        assert done.returncode == 1, done.stderr
        assert json.loads(done.stdout) == here
        finished = (tmp_path / "standalone/master/log.txt").read_text()
        assert "Launching executor" in finished
        assert all((tmp_path / f"standalone/work-{number}").glob("app-*") for number in (1, 2))


def test_every_session_of_a_connect_server_finds_the_same(
    bootstrap: str, folder: Path, here: dict[str, Any], connect: ConnectServer, tmp_path: Path
) -> None:
    """The server has no Kafka connector. Each run is a session of its own."""
    question = (folder, "--bootstrap", bootstrap, "--format", "json", "--remote", connect.address)
    done = run(*question)
    assert done.returncode == 1, done.stderr
    assert json.loads(done.stdout) == here
    assert "Traceback" not in done.stderr
    assert GIVEN_CLIENT.search(connect.log.read_text())
    # By nothing but SQL functions: murmur2 of an Avro key was nested deeper than the client can send.
    now_ms = int(time.time() * 1000)
    pure = report_of(folder, bootstrap, connect.address, engine="pure", now_ms=now_ms, folder=tmp_path)
    assert pure.to_json() == here
    few = [word for each in of_orders(here) for word in ("--topic", each["topic"])]
    done = run(*question, *few)
    assert done.returncode == 1, done.stderr
    assert json.loads(done.stdout)["topics"] == of_orders(here)
    # An error on the server is one line here too.
    done = run(*question, "--spark-config", "spark.sql.shuffle.partitions=many")
    assert done.returncode == 3, done.stderr
    assert "no Spark Connect session" in done.stderr
    assert "Traceback" not in done.stderr
    assert "many" in done.stderr


def test_a_connect_server_with_a_connector_of_its_own_finds_the_same(
    bootstrap: str, folder: Path, here: dict[str, Any], tmp_path: Path
) -> None:
    jars = ",".join(str(jar) for jar in ensure_spark(pyspark.__version__))
    orders = folder / "orders.yaml"
    with connect_server(tmp_path, {"spark.jars": jars}) as server:
        for _ in range(2):
            now_ms = int(time.time() * 1000)
            found = report_of(orders, bootstrap, server.address, engine="compiled", now_ms=now_ms, folder=tmp_path)
            assert found.to_json()["topics"] == of_orders(here)
    assert not GIVEN_CLIENT.search(server.log.read_text())


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
