"""A client library that dies does not make a command look as if it had an answer."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

COMMAND = str(Path(sys.executable).with_name("kafka-topology"))
TOPOLOGY = "version: 1\ntopics: {orders: {partitions: 1, replication: 1}}\n"
DIES = "import os, signal\nprint('fine so far', flush=True)\nos.kill(os.getpid(), signal.SIGSEGV)\n"
HANGS = "import time\nprint('waiting', flush=True)\ntime.sleep(60)\n"


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "topology.yaml").write_text(TOPOLOGY)
    subprocess.run(["git", "init", "-b", "main"], cwd=tmp_path, check=True, capture_output=True)
    identity = ("-c", "user.name=t", "-c", "user.email=t@example.org")
    for arguments in (("add", "topology.yaml"), ("commit", "-m", "first")):
        subprocess.run(["git", *identity, *arguments], cwd=tmp_path, check=True, capture_output=True)
    return tmp_path


def environment(folder, client):
    """The command finds this instead of the real client."""
    (folder / "fake" / "confluent_kafka").mkdir(parents=True)
    (folder / "fake" / "confluent_kafka" / "__init__.py").write_text(client)
    return {**os.environ, "PYTHONPATH": str(folder / "fake")}


BOOTSTRAP = ("--bootstrap", "127.0.0.1:9")
COMMANDS = {
    "audit": ("audit", "topology.yaml", *BOOTSTRAP),
    "import": ("import", "--output", "taken", *BOOTSTRAP),
    "review": ("review", "topology.yaml", "--base", "main", "--live", *BOOTSTRAP),
    "what-if": ("what-if", "topology.yaml", "--lose-broker", "1", "--live", *BOOTSTRAP),
    "check": ("check", "topology.yaml", *BOOTSTRAP),
}


@pytest.mark.parametrize("name", COMMANDS)
def test_a_command_whose_client_dies_could_not_check(name, folder):
    done = subprocess.run(
        [COMMAND, *COMMANDS[name]],
        cwd=folder,
        env=environment(folder, DIES),
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 3, done.stdout + done.stderr
    assert f"kafka-topology {name} could not check anything: SIGSEGV ended its process" in done.stderr
    assert "Segmentation fault" in done.stderr  # with the lines that led there


def started(folder):
    running = subprocess.Popen(
        [COMMAND, *COMMANDS["audit"]],
        cwd=folder,
        env=environment(folder, HANGS),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    assert running.stdout.readline() == "waiting\n"
    return running


def children(running):
    return [int(pid) for pid in Path(f"/proc/{running.pid}/task/{running.pid}/children").read_text().split()]


def test_an_interrupt_of_the_command_or_of_its_whole_group_ends_it_as_before(folder):
    running = started(folder)
    running.send_signal(signal.SIGINT)
    _, errors = running.communicate(timeout=20)
    assert running.returncode == 1
    assert "Aborted" in errors


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL])
def test_no_child_is_left_behind(folder, number):
    running = started(folder)
    (child,) = children(running)
    running.send_signal(number)
    running.communicate(timeout=20)
    assert running.returncode == -number
    deadline = time.monotonic() + 10
    while Path(f"/proc/{child}").exists() and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not Path(f"/proc/{child}").exists()
