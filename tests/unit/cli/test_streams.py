"""Output that cannot be printed: a reader that went away, a full disk, an encoding without the characters."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

EXECUTABLE = [sys.executable, "-c", "from kafka_topology.cli.entry import main; main()"]
TOPOLOGY = """\
version: 1
topics:
  orders: {owner: é→, partitions: 6, replication: 3, config: {min.insync.replicas: 3}}
"""
FINE = "version: 1\ntopics: {}\n"
COMMANDS = [
    ["--help"],
    ["rules"],
    ["show", "t.yaml"],
    ["validate", "fine.yaml"],
    ["validate", "t.yaml", "--format", "json"],
    ["graph", "t.yaml", "--output", "/dev/stdout"],
    ["what-if", "--help"],
]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("KAFKA_TOPOLOGY_DEBUG", raising=False)
    monkeypatch.delenv("PYTHONUNBUFFERED", raising=False)
    (tmp_path / "t.yaml").write_text(TOPOLOGY + "producers: {checkout: {topics: [orders]}}\n", encoding="utf-8")
    (tmp_path / "fine.yaml").write_text(FINE)
    (tmp_path / "untidy.yaml").write_text("topics:   {}\nversion: 1\n")
    return tmp_path


def run(*arguments: str, stdout: int = subprocess.PIPE, **environment: str) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        [*EXECUTABLE, *arguments],
        stdout=stdout,
        stderr=subprocess.PIPE,
        env={**os.environ, **environment},
        check=False,
    )


@pytest.mark.parametrize("arguments", COMMANDS, ids=" ".join)
def test_a_reader_that_went_away_is_no_finding(folder: Path, arguments: list[str]) -> None:
    reader, writer = os.pipe()
    os.close(reader)
    done = run(*arguments, stdout=writer)
    os.close(writer)
    assert (done.returncode, done.stderr) == (141, b"")


@pytest.mark.parametrize("arguments", COMMANDS, ids=" ".join)
def test_a_full_disk_is_named_and_is_no_bug(folder: Path, arguments: list[str]) -> None:
    if not Path("/dev/full").exists():
        pytest.skip("this system has no /dev/full")
    with Path("/dev/full").open("wb", buffering=0) as full:
        done = run(*arguments, stdout=full.fileno())
    said = done.stderr.decode()
    assert done.returncode == 2, said
    assert "no space left on device" in said
    assert "bug" not in said
    assert "Exception ignored" not in said


def test_without_a_buffer_it_is_the_same(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONUNBUFFERED", "1")
    for arguments in (["show", "t.yaml"], ["validate", "fine.yaml"]):
        test_a_reader_that_went_away_is_no_finding(folder, arguments)
        test_a_full_disk_is_named_and_is_no_bug(folder, arguments)


def test_a_large_output_on_a_full_disk(folder: Path) -> None:
    topics = "".join(f"  t{number}: {{partitions: 1, replication: 3}}\n" for number in range(500))
    (folder / "t.yaml").write_text(f"version: 1\ntopics:\n{topics}")
    test_a_full_disk_is_named_and_is_no_bug(folder, ["show", "t.yaml"])


def test_messages_that_cannot_be_printed_change_no_exit_code(folder: Path) -> None:
    reader, writer = os.pipe()
    os.close(reader)
    for arguments, code in ((["graph", "none.yaml"], 2), (["report", "t.yaml"], 0), (["nonsense"], 2)):
        assert subprocess.run([*EXECUTABLE, *arguments], stderr=writer, check=False).returncode == code
    os.close(writer)


@pytest.mark.parametrize("closed", [">&-", "2>&-", ">&- 2>&-"])
def test_closed_streams_are_no_bug(folder: Path, closed: str) -> None:
    command = f'"$0" -c "{EXECUTABLE[2]}" validate t.yaml --rule KT101 {closed}'
    done = subprocess.run(["sh", "-c", command, sys.executable], capture_output=True, check=False)
    assert (done.returncode, done.stderr) == (1, b"")


@pytest.mark.parametrize("encoding", ["ascii", "latin-1", "cp437"])
def test_characters_without_encoding_are_printed_as_escapes(folder: Path, encoding: str) -> None:
    for arguments in (["validate", "t.yaml", "--rule", "KT101"], ["show", "t.yaml"], ["rules"], ["graph", "t.yaml"]):
        done = run(*arguments, PYTHONIOENCODING=encoding)
        assert done.returncode == (1 if arguments[0] == "validate" else 0), done.stderr
        assert done.stderr == b""
    printed = run("validate", "t.yaml", "--rule", "KT101", PYTHONIOENCODING=encoding).stdout.decode(encoding)
    assert "KT101" in printed
    assert "\\u2192" in printed
