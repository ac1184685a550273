"""A check that is stopped half-way: what was done is kept, what was not is said, and nothing is left running."""

from __future__ import annotations

import json
import os
import re
import select
import signal
import subprocess
import sys
import time
import uuid
from collections.abc import Callable
from pathlib import Path

import pytest
from delivering import SureProducer
from spark_places import ConnectServer, connect_server

from kafka_topology.cli.checking.spark_folder import remove_abandoned

# What comes in on stdin is typed, and what the terminal shows goes to stdout.
IN_A_TERMINAL = "import os, pty, sys; sys.exit(os.waitstatus_to_exitcode(pty.spawn(sys.argv[1:])))"
PROGRAM = "from kafka_topology.cli.main import main; main()"
TOPOLOGY = """\
version: 1
topics:
  {first}: {{partitions: 1, replication: 1, key: {{type: string}}}}
  {second}: {{partitions: 2, replication: 1, key: {{type: string}}}}
  {third}: {{partitions: 1, replication: 1, key: {{type: string}}}}
"""
PATIENCE_S = 900.0
MANY = 400_000  # so many that nobody reads them before the signal comes


@pytest.fixture(scope="module")
def topics(bootstrap: str, create_topic: Callable[..., str]) -> tuple[str, str, str]:
    names = create_topic(1), create_topic(2), create_topic(1)
    settings = {"linger.ms": 50, "queue.buffering.max.messages": 2 * MANY, "partitioner": "murmur2_random"}
    producer = SureProducer({"bootstrap.servers": bootstrap, **settings})
    for name, count in zip(names, (10, MANY, 10), strict=True):
        for number in range(count):
            producer.produce(name, b"{}", b"key-%d" % (number % 1000))
            if not number % 10_000:
                producer.poll(0)
    producer.flush(120)
    return names


def running_with(mark: str) -> list[str]:
    """The processes that have the mark in their environment."""
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        try:
            if mark.encode() in (process / "environ").read_bytes():
                found.append((process / "cmdline").read_bytes().decode(errors="replace").replace("\0", " ")[:200])
        except OSError:
            continue  # it ended meanwhile
    return found


def assert_nothing_is_left(mark: str) -> None:
    deadline = time.monotonic() + PATIENCE_S
    while left := running_with(mark):
        assert time.monotonic() < deadline, left
        time.sleep(0.1)


def assert_partial(report: dict[str, object], topics: tuple[str, str, str]) -> None:
    assert report["complete"] is False
    done, stopped, left = report["topics"]  # type: ignore[misc]
    assert (done["topic"], done["records"], "unreadable" in done) == (topics[0], 10, False)
    for each, name in ((stopped, topics[1]), (left, topics[2])):
        assert (each["topic"], each["unreadable"]) == (name, "interrupted")
        assert {result["status"] for result in each["results"]} == {"not-checked"}
        assert {result["reason"] for result in each["results"]} == {"interrupted"}


def test_ctrl_c_on_a_terminal(bootstrap: str, topics: tuple[str, str, str], tmp_path: Path) -> None:
    path, output, mark = tmp_path / "topology.yaml", tmp_path / "report.json", f"mark-{uuid.uuid4()}"
    path.write_text(TOPOLOGY.format(first=topics[0], second=topics[1], third=topics[2]))
    arguments = ["check", str(path), "--bootstrap", bootstrap, "--format", "json", "--output", str(output)]
    environment = {**os.environ, "TERM": "xterm", "COLUMNS": "80", "MARK": mark}
    command = [sys.executable, "-c", IN_A_TERMINAL, sys.executable, "-c", PROGRAM, *arguments]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        shown = read_until(process.stdout.fileno(), topics[1])
        process.stdin.write(b"\x03")
        process.stdin.flush()
        shown += read_until(process.stdout.fileno(), None)
    assert process.returncode == 3, shown
    assert "Traceback" not in shown
    assert "Interrupted." in shown
    assert re.search(rf"{re.escape(topics[0])} .*10/10", shown), shown
    assert_partial(json.loads(output.read_text()), topics)
    assert_nothing_is_left(mark)


def read_until(terminal: int, wanted: str | None) -> str:
    """What the terminal shows until a text appears, or the program ends."""
    shown, deadline = "", time.monotonic() + PATIENCE_S
    while wanted is None or wanted not in shown:
        assert time.monotonic() < deadline, shown
        if select.select([terminal], [], [], 1)[0]:
            part = os.read(terminal, 4096)
            if not part:
                assert wanted is None, shown
                break
            shown += part.decode(errors="replace")
    return shown


def assert_ended_by(number: int, command: list[str], topics: tuple[str, str, str], folder: Path) -> None:
    """The command gets the signal while the second topic is read. Its state is in `state.json` of the folder."""
    mark, temporary = f"mark-{uuid.uuid4()}", folder / "temporary"
    temporary.mkdir()
    environment = {**os.environ, "MARK": mark, "TMPDIR": str(temporary)}
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment
    ) as process:
        assert process.stderr is not None
        said = ""
        for line in process.stderr:
            said += line
            if topics[1] in line:
                process.send_signal(number)
                break
        stdout, stderr = process.communicate(timeout=PATIENCE_S)
    assert process.returncode == 3, said + stderr
    assert "Traceback" not in said + stderr
    assert_partial(json.loads(stdout), topics)
    # Only what is in the report is remembered.
    assert list(json.loads((folder / "state.json").read_text())["topics"]) == [topics[0]]
    assert_nothing_is_left(mark)
    assert list(temporary.glob("kafka-topology-*")) == []


@pytest.fixture
def command(bootstrap: str, topics: tuple[str, str, str], tmp_path: Path) -> list[str]:
    path = tmp_path / "topology.yaml"
    path.write_text(TOPOLOGY.format(first=topics[0], second=topics[1], third=topics[2]))
    state = str(tmp_path / "state.json")
    arguments = ["check", str(path), "--bootstrap", bootstrap, "--format", "json", "--incremental", state]
    return [sys.executable, "-c", PROGRAM, *arguments]


def test_termination_without_a_terminal(command: list[str], topics: tuple[str, str, str], tmp_path: Path) -> None:
    assert_ended_by(signal.SIGTERM, command, topics, tmp_path)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_the_work_of_a_connect_server(
    connect: ConnectServer, command: list[str], topics: tuple[str, str, str], tmp_path: Path, number: int
) -> None:
    command += ["--remote", connect.address]
    assert_ended_by(number, command, topics, tmp_path)
    assert connect.running_jobs() == []
    # The next check goes on from there, on the same server.
    again = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE_S, check=False)
    assert again.returncode == 0, again.stdout + again.stderr
    assert [each["records"] for each in json.loads(again.stdout)["topics"]] == [0, MANY, 10]
    assert list(json.loads((tmp_path / "state.json").read_text())["topics"]) == list(topics)


@pytest.mark.parametrize("terminated", [False, True])
def test_a_connect_server_that_dies(
    bootstrap: str, topics: tuple[str, str, str], tmp_path: Path, terminated: bool
) -> None:
    """Its client would try for ten minutes, for each request."""
    path = tmp_path / "topology.yaml"
    path.write_text(TOPOLOGY.format(first=topics[0], second=topics[1], third=topics[2]))
    with connect_server(tmp_path / "server") as server:
        arguments = ["check", str(path), "--bootstrap", bootstrap, "--format", "json", "--remote", server.address]
        with subprocess.Popen(
            [sys.executable, "-c", PROGRAM, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        ) as process:
            assert process.stderr is not None
            said = ""
            for line in process.stderr:
                said += line
                if topics[1] in line:
                    server.process.kill()
                    server.process.wait()
                    if terminated:
                        process.send_signal(signal.SIGTERM)
                    break
            began = time.monotonic()
            stdout, stderr = process.communicate(timeout=PATIENCE_S)
    assert process.returncode == 3, said + stderr
    assert "Traceback" not in said + stderr
    assert time.monotonic() - began < 120  # seconds on a machine with nothing else to do
    done, *left = json.loads(stdout)["topics"]
    assert (done["topic"], done["records"]) == (topics[0], 10)
    assert [each["topic"] for each in left if each["unreadable"]] == list(topics[1:])


def test_a_first_incremental_check_that_was_stopped_can_be_repeated(
    bootstrap: str, create_topic: Callable[..., str], tmp_path: Path
) -> None:
    name = create_topic(1)
    producer = SureProducer({"bootstrap.servers": bootstrap})
    for number in range(1000):
        producer.produce(name, b"{}", b"key-%d" % number)
    producer.flush(60)
    path, state = tmp_path / "topology.yaml", tmp_path / "state.json"
    path.write_text(f"version: 1\ntopics:\n  {name}: {{partitions: 1, replication: 1, key: {{type: string}}}}\n")
    command = [sys.executable, "-c", PROGRAM, "check", str(path), "--bootstrap", bootstrap, "--incremental", str(state)]

    def run() -> subprocess.CompletedProcess[str]:
        return subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE_S, check=False)

    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr is not None
        said = next(line for line in process.stderr if name in line)
        # Stopped, it neither ends nor lets the state go, however slow this machine is.
        process.send_signal(signal.SIGSTOP)
        second = run()
        process.send_signal(signal.SIGTERM)
        process.send_signal(signal.SIGCONT)
        stdout, stderr = process.communicate(timeout=PATIENCE_S)
    assert second.returncode == 3, second.stderr
    assert "another check is using this state file" in second.stderr
    assert "Starting Spark" not in second.stderr
    assert process.returncode == 3, said + stderr
    assert "Interrupted." in stdout
    assert not state.exists()
    third = run()
    assert third.returncode == 0, third.stdout + third.stderr
    assert "1,000 records in 1 partition" in third.stdout
    assert json.loads(state.read_text())["topics"][name]["next"] == {"0": 1000}


def java_runs(mark: str) -> bool:
    return any("SparkSubmit" in each for each in running_with(mark))


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL])
def test_nothing_stays_of_a_check_that_ends_while_spark_starts(
    bootstrap: str, create_topic: Callable[..., str], tmp_path: Path, number: int
) -> None:
    name, path, mark = create_topic(1), tmp_path / "topology.yaml", f"mark-{uuid.uuid4()}"
    path.write_text(f"version: 1\ntopics:\n  {name}: {{partitions: 1, replication: 1, key: {{type: string}}}}\n")
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    with subprocess.Popen(
        [sys.executable, "-c", PROGRAM, "check", str(path), "--bootstrap", bootstrap],
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "MARK": mark, "TMPDIR": str(temporary)},
    ) as process:
        deadline = time.monotonic() + PATIENCE_S
        while not java_runs(mark):
            assert time.monotonic() < deadline
            assert process.poll() is None
            time.sleep(0.02)
        process.send_signal(number)
        _, stderr = process.communicate(timeout=PATIENCE_S)
    assert_nothing_is_left(mark)
    left = list(temporary.glob("kafka-topology-spark-*"))
    if number == signal.SIGTERM:
        assert process.returncode == 3, stderr
        assert "interrupted: the records were not checked" in stderr
        assert left == []
    else:
        (folder,) = left
        os.utime(folder / ".in-use", (0, 0))  # the next check takes it for an old one
        remove_abandoned(temporary)
        assert not folder.exists()
