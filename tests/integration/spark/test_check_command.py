"""`kafka-topology check` from outside: exit codes, what goes where, and no stack trace for anybody."""

from __future__ import annotations

import json
import socket
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from delivering import SureProducer

from kafka_topology.sample_records import produce_sample
from kafka_topology.topology import load

TOPOLOGY = """\
version: 1
cluster: {{name: test, brokers: 1}}
topics:
  {name}:
    partitions: 6
    replication: 1
    key: {{type: uuid, field: order_id}}
    value: {{format: json}}
"""


def run(*arguments: str | Path, seconds: float = 300) -> subprocess.CompletedProcess[str]:
    program = "from kafka_topology.cli.main import main; main()"
    return subprocess.run(
        [sys.executable, "-c", program, "check", *map(str, arguments)],
        capture_output=True,
        text=True,
        timeout=seconds,
        check=False,
    )


@pytest.fixture
def write_topology(tmp_path: Path) -> Callable[[str], Path]:
    def write(name: str) -> Path:
        path = tmp_path / "topology.yaml"
        path.write_text(TOPOLOGY.format(name=name))
        return path

    return write


LIMITED = """\
version: 1
cluster: {{name: test, brokers: 1}}
topics:
  {name}:
    partitions: 1
    replication: 1
    ordering: total
    value: {{format: json, sequence: n}}
    checks: {{{limits}}}
"""


def test_limits_decide_the_exit_code(bootstrap: str, create_topic: Callable[..., str], tmp_path: Path) -> None:
    """One of 50 records cannot be judged, and one goes back."""
    name = create_topic(1)
    producer = SureProducer({"bootstrap.servers": bootstrap})
    for number in [*range(48), 5, "?"]:
        producer.produce(name, json.dumps({"n": number}))
    producer.flush(60)
    path = tmp_path / "topology.yaml"
    for limits, code, said in (
        ("order: {maxViolations: 3%, minJudged: 98%}", 0, "tolerated: at most 3 %"),
        ("order: {maxViolations: 3%}", 3, "could not check: at least 100 % must be judged"),
        ("ordr: {maxViolations: 3%}", 2, "unknown check ordr; did you mean `order`?"),
    ):
        path.write_text(LIMITED.format(name=name, limits=limits))
        done = run(path, "--bootstrap", bootstrap)
        shown = " ".join((done.stdout + done.stderr).split())
        assert (done.returncode, said in shown) == (code, True), shown


def test_violations_are_reported_and_exit_1(
    bootstrap: str, create_topic: Callable[..., str], write_topology: Callable[[str], Path], tmp_path: Path
) -> None:
    path = write_topology(name := create_topic())
    topology = load(path).topology
    assert topology is not None
    planted = produce_sample(bootstrap, topology.topics[name], 500, {"misplaced": 3})
    output = tmp_path / "report.json"
    done = run(path, "--bootstrap", bootstrap, "--format", "json", "--output", output)
    assert (done.returncode, output.exists()) == (1, True), done.stderr
    (report,) = json.loads(output.read_text())["topics"]
    placement = report["results"][0]
    assert report["records"] == 503
    assert [(each["partition"], each["offset"]) for each in placement["examples"]] == [
        (each.partition, each.offset) for each in planted
    ]
    assert "3 misplaced" in done.stdout
    assert max(map(len, done.stdout.splitlines())) <= 80
    assert f"Report: {output}" in done.stderr
    assert "WARN" not in done.stderr
    assert "\tat " not in done.stderr


def test_a_missing_topic_exits_3_and_is_not_fine(bootstrap: str, write_topology: Callable[[str], Path]) -> None:
    done = run(write_topology("no.such.topic"), "--bootstrap", bootstrap, "--format", "json")
    assert done.returncode == 3
    (report,) = json.loads(done.stdout)["topics"]
    assert "no.such.topic does not exist" in report["unreadable"]
    assert {result["status"] for result in report["results"]} == {"not-checked"}
    assert {result["violations"] for result in report["results"]} == {None}


def test_an_unreachable_cluster_exits_3_in_seconds(write_topology: Callable[[str], Path]) -> None:
    with socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))  # bound, not listening: nobody else can take the port
        address = f"127.0.0.1:{closed.getsockname()[1]}"
        began = time.monotonic()
        done = run(write_topology("shop.orders"), "--bootstrap", address, "--timeout", "3")
    assert done.returncode == 3
    assert time.monotonic() - began < 15
    assert f"Kafka at {address} cannot be reached" in done.stderr
    assert "Traceback" not in done.stderr
    assert done.stdout == ""


def test_a_bad_topology_exits_2_with_the_place(tmp_path: Path) -> None:
    path = tmp_path / "topology.yaml"
    path.write_text(TOPOLOGY.format(name="t").replace("partitions: 6", "partitons: 6"))
    done = run(path, "--bootstrap", "127.0.0.1:1")
    assert done.returncode == 2
    assert "topology.yaml:5:" in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ((), "--bootstrap HOST:PORT"),
        (("--bootstrap", "127.0.0.1:1", "--topic", "other"), "topic other is not declared; declared are shop.orders"),
        (("--bootstrap", "127.0.0.1:1", "--format", "xml"), "xml"),
    ],
)
def test_wrong_usage_exits_2(write_topology: Callable[[str], Path], arguments: tuple[str, ...], said: str) -> None:
    done = run(write_topology("shop.orders"), *arguments)
    assert done.returncode == 2
    assert said in done.stderr


def test_a_setting_spark_cannot_have_exits_2(write_topology: Callable[[str], Path], tmp_path: Path) -> None:
    config = tmp_path / "client.properties"
    config.write_text("bootstrap.servers=127.0.0.1:1\nssl.crl.location=hunter2\n")
    done = run(write_topology("shop.orders"), "--client-config", config)
    assert done.returncode == 2
    assert "ssl.crl.location" in done.stderr
    assert "hunter2" not in done.stderr
