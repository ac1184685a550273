"""Secured Kafka read by the real Spark: every login, and no secret where others could see it."""

from __future__ import annotations

import subprocess
import sys
import threading
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from acls import allowed
from confluent_kafka.admin import AdminClient, NewTopic
from spark_places import connect_server

from kafka_topology.local import LocalCluster
from kafka_topology.sample_records import produce_sample
from kafka_topology.spark_checks import check
from kafka_topology.spark_checks.reading.reader import KafkaReader
from kafka_topology.topology import load
from kafka_topology.topology.model.declared import Topology

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

NAME = "spark.secured"
TOPOLOGY = f"""\
version: 1
topics:
  {NAME}: {{partitions: 3, replication: 1, key: {{type: uuid, field: order_id}}, value: {{format: json}}}}
"""
LOGINS = [
    ("SASL_PLAINTEXT", "PLAIN"),
    ("SASL_PLAINTEXT", "SCRAM-SHA-256"),
    ("SASL_SSL", "SCRAM-SHA-512"),
    ("SASL_SSL", "OAUTHBEARER"),
    ("SSL", "PLAIN"),  # by client certificate
]


@pytest.fixture(scope="module")
def path(secure_kafka: LocalCluster, tmp_path_factory: pytest.TempPathFactory) -> Path:
    file = tmp_path_factory.mktemp("secured") / "topology.yaml"
    file.write_text(TOPOLOGY)
    admin = AdminClient(secure_kafka.client_settings(user="admin"))
    admin.create_topics([NewTopic(NAME, 3, 1)])[NAME].result(30)
    for future in admin.create_acls([allowed("User:app", "Read", "topic", NAME)]).values():
        future.result(30)
    topology = declared(file)
    produce_sample(str(secure_kafka.bootstrap_servers), topology.topics[NAME], 300, {"misplaced": 3})
    return file


def declared(path: Path) -> Topology:
    topology = load(path).topology
    assert topology is not None
    return topology


def test_every_login_reads_the_same(spark: SparkSession, secure_kafka: LocalCluster, path: Path) -> None:
    for listener, mechanism in LOGINS:
        client = secure_kafka.client_settings(listener, user="app", mechanism=mechanism)  # type: ignore[arg-type]
        (report,) = check(spark, declared(path), reader=KafkaReader(client)).topics
        assert (report.unreadable, report.records, report.violations) == (None, 303, 3), (listener, mechanism)


def test_an_encrypted_key_needs_its_password(
    spark: SparkSession, secure_kafka: LocalCluster, path: Path, tmp_path: Path
) -> None:
    client = secure_kafka.client_settings("SSL", user="app")
    key = tmp_path / "encrypted.key"
    subprocess.run(
        ["openssl", "pkcs8", "-topk8", "-in", client["ssl.key.location"], "-out", str(key), "-passout", "pass:s3cret",
         "-v1", "PBE-SHA1-3DES"],
        check=True, capture_output=True,
    )  # fmt: skip
    encrypted = {**client, "ssl.key.location": str(key), "ssl.key.password": "s3cret"}
    (report,) = check(spark, declared(path), reader=KafkaReader(encrypted)).topics
    assert (report.unreadable, report.records) == (None, 303)


def run(path: Path, config: Path, *more: str) -> tuple[subprocess.CompletedProcess[str], str]:
    """What the command did, and the command lines of all processes while it ran."""
    program = "from kafka_topology.cli.main import main; main()"
    command = [sys.executable, "-c", program, "check", str(path), "--client-config", str(config), "--format", "json"]
    command += more
    lines: set[str] = set()
    done = threading.Event()

    def look() -> None:
        while not done.wait(0.2):
            for process in Path("/proc").glob("[0-9]*"):
                for file in ("cmdline", "environ"):
                    try:
                        lines.add((process / file).read_bytes().decode(errors="replace"))
                    except OSError:
                        continue  # it ended meanwhile

    watcher = threading.Thread(target=look)
    watcher.start()
    try:
        finished = subprocess.run(command, capture_output=True, text=True, timeout=1800, check=False)
    finally:
        done.set()
        watcher.join()
    return finished, "\n".join(lines)


def properties(settings: dict[str, str]) -> str:
    return "".join(f"{name}={value}\n" for name, value in settings.items())


def test_secrets_stay_secret(secure_kafka: LocalCluster, path: Path, tmp_path: Path) -> None:
    client = secure_kafka.client_settings("SASL_SSL", user="app")
    config = tmp_path / "client.properties"
    config.write_text(properties(client))
    done, seen = run(path, config)
    assert done.returncode == 1, done.stderr
    password = client["sasl.password"]
    assert "java" in seen
    for text in (done.stdout, done.stderr, seen):
        assert password not in text
        assert "PRIVATE KEY" not in text


def test_a_wrong_password_is_said_without_it(secure_kafka: LocalCluster, path: Path, tmp_path: Path) -> None:
    config = tmp_path / "client.properties"
    config.write_text(properties(secure_kafka.client_settings("SASL_SSL", user="app") | {"sasl.password": "hunter2"}))
    done, _ = run(path, config)
    assert done.returncode == 3
    assert "authentication" in done.stderr.lower()
    assert "hunter2" not in done.stderr
    assert "Traceback" not in done.stderr


def test_a_connect_server_keeps_no_secret(secure_kafka: LocalCluster, path: Path, tmp_path: Path) -> None:
    """Nor does a session get the logins of another one: each has a copy of Kafka's client."""
    config = tmp_path / "client.properties"
    folder = tmp_path / "server"
    (folder / "events").mkdir(parents=True)
    events = {"spark.eventLog.enabled": "true", "spark.eventLog.dir": (folder / "events").as_uri()}
    with connect_server(folder, {**events, "spark.eventLog.compress": "false"}) as server:
        for mechanism in ("SCRAM-SHA-512", "OAUTHBEARER", "OAUTHBEARER", "SCRAM-SHA-512"):
            client = secure_kafka.client_settings("SASL_SSL", user="app", mechanism=mechanism)  # type: ignore[arg-type]
            config.write_text(properties(client))
            done, _ = run(path, config, "--remote", server.address)
            assert done.returncode == 1, (mechanism, done.stdout, done.stderr)
    kept = "".join(file.read_text(errors="replace") for file in folder.rglob("*") if file.is_file())
    assert "kafka.bootstrap.servers" in kept  # the requests are there
    assert client["sasl.password"] not in kept
    assert "PRIVATE KEY" not in kept
