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
from spark_places import connect_server, standalone_cluster

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
GIVEN_CLIENT = re.compile(r"artifacts/\S+/kafka-clients")  # Kafka's client, as an artifact of a session
FAULTS: dict[FaultKind, int] = {"misplaced": 7, "bad-key": 3, "wrong-field": 3, "null-key": 3, "tombstone": 2}


def run(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
    program = "from kafka_topology.cli.main import main; main()"
    command = [sys.executable, "-c", program, "check", *map(str, arguments)]
    # Workers run our own Python, which has what a schema's validator needs.
    environment = {**os.environ, "PYSPARK_PYTHON": sys.executable}
    return subprocess.run(command, capture_output=True, text=True, timeout=1800, check=False, env=environment)


@pytest.fixture(scope="module")
def samples(bootstrap: str, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, ...]:
    """Topologies whose topics are full of faults of every kind."""
    folder = tmp_path_factory.mktemp("places")
    name = f"places.{os.getpid()}"
    orders, prices = f"{name}.orders", f"{name}.prices"
    path = folder / "topology.yaml"
    path.write_text(TOPOLOGY.format(orders=orders, prices=prices))
    topics = declared(path).topics
    admin = AdminClient({"bootstrap.servers": bootstrap})
    for created in admin.create_topics([NewTopic(each.name, each.partitions, 1) for each in topics.values()]).values():
        created.result(60)
    produce_sample(bootstrap, topics[orders], 1_000, FAULTS)
    produce_sample(bootstrap, topics[prices], 500, {"misplaced": 2})
    formats = write_files(folder / "formats", name)
    write_records(bootstrap, name)
    return path, formats


@pytest.fixture(scope="module")
def here(spark: SparkSession, bootstrap: str, samples: tuple[Path, ...]) -> tuple[dict[str, Any], ...]:
    """What the compiled engine finds in this process."""
    return tuple(check(spark, declared(path), bootstrap_servers=bootstrap).to_json() for path in samples)


def declared(path: Path) -> Topology:
    topology = load(path).topology
    assert topology is not None
    return topology


def test_the_pure_engine_finds_the_same(
    spark: SparkSession, bootstrap: str, samples: tuple[Path, ...], here: tuple[dict[str, Any], ...]
) -> None:
    orders, formats = here
    assert orders["topics"][0]["records"] == 1_018
    placement = {each["check"]: each for each in orders["topics"][0]["results"]}["placement"]
    assert placement["violations"] == 7
    assert violations(formats) >= {
        "placement", "key-type", "key-field", "nulls", "order", "headers", "value-schema", "single-partition",
    }  # fmt: skip
    for path, found in zip(samples, here, strict=True):
        engine = PureEngine(BuiltInHashes())
        assert check(spark, declared(path), bootstrap_servers=bootstrap, engine=engine).to_json() == found


def test_a_standalone_cluster_finds_the_same(
    bootstrap: str, samples: tuple[Path, ...], here: tuple[dict[str, Any], ...], tmp_path: Path
) -> None:
    with standalone_cluster(tmp_path / "standalone") as master:
        small = ("--spark-config", "spark.executor.memory=512m", "--spark-config", "spark.driver.host=127.0.0.1")
        for path, found in zip(samples, here, strict=True):
            done = run(path, "--bootstrap", bootstrap, "--format", "json", "--master", master, *small)
            assert done.returncode == 1, done.stderr
            assert json.loads(done.stdout) == found
        finished = (tmp_path / "standalone/master/log.txt").read_text()
        assert "Launching executor" in finished
        assert all((tmp_path / f"standalone/work-{number}").glob("app-*") for number in (1, 2))


def test_every_session_of_a_connect_server_finds_the_same(
    bootstrap: str, samples: tuple[Path, ...], here: tuple[dict[str, Any], ...], tmp_path: Path
) -> None:
    """The server has no Kafka connector. Each run is a session of its own."""
    orders, formats = samples
    with connect_server(tmp_path) as remote:
        for path, found in ((orders, here[0]), (formats, here[1]), (orders, here[0])):
            done = run(path, "--bootstrap", bootstrap, "--format", "json", "--remote", remote)
            assert done.returncode == 1, done.stderr
            assert json.loads(done.stdout) == found
            assert "Traceback" not in done.stderr
        assert GIVEN_CLIENT.search((tmp_path / "connect/log.txt").read_text())
        # By nothing but SQL functions: murmur2 of an Avro key was nested deeper than the client can send.
        now_ms = int(time.time() * 1000)
        pure = report_of(formats, bootstrap, remote, engine="pure", now_ms=now_ms, folder=tmp_path)
        assert pure.to_json() == here[1]
        # An error on the server is one line here too.
        question = (orders, "--bootstrap", bootstrap, "--format", "json")
        done = run(*question, "--remote", remote, "--spark-config", "spark.sql.shuffle.partitions=many")
        assert done.returncode == 3, done.stderr
        assert "no Spark Connect session" in done.stderr
        assert "Traceback" not in done.stderr
        assert "many" in done.stderr


def test_a_connect_server_with_a_connector_of_its_own_finds_the_same(
    bootstrap: str, samples: tuple[Path, ...], here: tuple[dict[str, Any], ...], tmp_path: Path
) -> None:
    jars = ",".join(str(jar) for jar in ensure_spark(pyspark.__version__))
    with connect_server(tmp_path, {"spark.jars": jars}) as remote:
        for _ in range(2):
            now_ms = int(time.time() * 1000)
            found = report_of(samples[0], bootstrap, remote, engine="compiled", now_ms=now_ms, folder=tmp_path)
            assert found.to_json() == here[0]
    assert not GIVEN_CLIENT.search((tmp_path / "connect/log.txt").read_text())


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
