"""Commands that read a cluster, at an address that never answers, or that swallows packets, as behind a firewall."""

from __future__ import annotations

import time

import pytest
from command import call
from gitted import git
from listening import server, swallowing

TOPOLOGY = "version: 1\ntopics: {orders: {partitions: 1, replication: 1, key: {type: string}}}\n"
TIMEOUT = 2
COMMANDS = {
    "audit": ("audit", "topology.yaml"),
    "import": ("import", "--output", "imported"),
    "what-if": ("what-if", "topology.yaml", "--live", "--lose-broker", "1"),
    "what-if with more partitions": ("what-if", "topology.yaml", "--partitions", "2"),
    "review": ("review", "topology.yaml", "--base", "HEAD", "--live"),
    "check": ("check", "topology.yaml"),
}


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    file = tmp_path / "topology.yaml"
    file.write_text(TOPOLOGY)
    git(tmp_path, "init", "-q")
    git(tmp_path, "add", "-A")
    git(tmp_path, "commit", "-qm", "base")
    file.write_text(TOPOLOGY.replace("partitions: 1,", "partitions: 1, retention: 30d,"))
    return tmp_path


@pytest.mark.parametrize("hole", [lambda: server(None), swallowing], ids=["silent", "swallowing"])
@pytest.mark.parametrize("arguments", COMMANDS.values(), ids=COMMANDS.keys())
def test_a_command_ends_in_time_and_says_who_does_not_answer(folder, arguments, hole):
    def timed(address):
        started = time.monotonic()
        result = call(*arguments, "--no-stack", "--bootstrap", address, "--timeout", str(TIMEOUT))
        return time.monotonic() - started, result

    refused, _ = timed("127.0.0.1:1")  # what else the command does takes so long, and imports even longer
    with hole() as address:
        took, result = timed(address)
    assert result.exit_code == 3, result.output
    assert f"Kafka at {address} cannot be reached: no answer within" in result.output
    assert took < refused + TIMEOUT + 1, (took, refused)
    assert not (folder / "imported").exists()
