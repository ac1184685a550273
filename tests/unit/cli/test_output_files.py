"""Where output goes: never over an input, never instead of a pipe or a device, and never two results into one file."""

from __future__ import annotations

import errno
import json
import os
import stat
import subprocess
import sys
import tempfile
import threading
from pathlib import Path

import pytest
from command import call

from kafka_topology.files import write_atomically

TOPOLOGY = """\
version: 1
topics:
  orders:
    owner: shop
    partitions: 6
    replication: 3
    value: {format: json, schema: order.schema}
    config: {min.insync.replicas: 3}
"""
SCHEMA = '{"type": "object"}'
BASELINE = '{"version": 1, "findings": []}'
EXECUTABLE = [sys.executable, "-c", "from kafka_topology.cli.entry import main; main()"]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "topology").mkdir()
    (tmp_path / "topology" / "t.yaml").write_text(TOPOLOGY)
    (tmp_path / "topology" / "order.schema").write_text(SCHEMA)
    (tmp_path / "b.json").write_text(BASELINE)
    return tmp_path


@pytest.mark.parametrize(
    "arguments",
    [
        ["graph", "topology", "--format", "json", "--output"],
        ["report", "topology", "--output"],
        ["validate", "topology", "--format", "json="],
        ["diff", "topology", "topology", "--output"],
        ["clients", "topology", "--format", "json", "--output"],
    ],
    ids=lambda arguments: arguments[0],
)
def test_a_pipe_is_written_into_and_stays(folder: Path, arguments: list[str]) -> None:
    pipe = folder / "pipe"
    if arguments[0] == "clients":
        with (folder / "topology" / "t.yaml").open("a") as file:
            file.write("producers: {checkout: {topics: [orders]}}\n")
        (folder / "d").mkdir()
        pipe = folder / "d" / "producer-checkout.json"
    os.mkfifo(pipe)
    read: list[str] = []
    reader = threading.Thread(target=lambda: read.append(pipe.read_text()), daemon=True)
    reader.start()
    target = "d" if arguments[0] == "clients" else "pipe"
    last = arguments[-1]
    result = call(*([*arguments[:-1], last + target] if last.endswith("=") else [*arguments, target]))
    reader.join(10)
    assert result.exit_code in (0, 1), result.output
    assert read
    assert len(read[0]) > 10
    assert pipe.is_fifo()


def test_a_device_stays_a_device(folder: Path) -> None:
    device = folder / "null"
    try:
        os.mknod(device, 0o600 | stat.S_IFCHR, os.makedev(1, 3))
        device.write_bytes(b"")
    except OSError:
        pytest.skip("only root can make a device, and not in every container")
    assert call("graph", "topology", "--output", "null").exit_code == 0
    assert call("validate", "topology", "--format", "json=null").exit_code == 1
    assert call("validate", "topology", "--baseline", "null", "--update-baseline").exit_code == 0
    assert device.is_char_device()


def test_a_link_to_a_file_or_a_pipe_stays_a_link(folder: Path) -> None:
    (folder / "real.json").write_text("old")
    (folder / "link").symlink_to("real.json")
    assert call("graph", "topology", "--format", "json", "--output", "link").exit_code == 0
    assert (folder / "link").is_symlink()
    assert json.loads((folder / "real.json").read_text())
    os.mkfifo(folder / "pipe")
    (folder / "to-pipe").symlink_to("pipe")
    reader = os.open(folder / "pipe", os.O_RDONLY | os.O_NONBLOCK)
    write_atomically(folder / "to-pipe", b"text")
    assert os.read(reader, 10) == b"text"
    os.close(reader)
    assert (folder / "to-pipe").is_symlink()
    assert (folder / "pipe").is_fifo()


def test_a_link_that_leads_nowhere_or_to_itself(folder: Path) -> None:
    (folder / "new").symlink_to("made.json")
    (folder / "loop").symlink_to("loop")
    assert call("graph", "topology", "--output", "new").exit_code == 0
    assert (folder / "made.json").is_file()
    result = call("graph", "topology", "--output", "loop")
    assert result.exit_code == 2
    assert "loop: too many levels of symbolic links" in result.stderr
    assert (folder / "loop").is_symlink()


def test_a_long_name_can_be_written(folder: Path) -> None:
    name = "x" * 250 + ".json"
    assert call("graph", "topology", "--output", name).exit_code == 0
    result = call("graph", "topology", "--output", "x" * 300)
    assert result.exit_code == 2
    assert "file name too long" in result.stderr


@pytest.mark.parametrize("name", ["/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"])
def test_stdout_by_its_name_comes_after_what_was_printed(folder: Path, name: str) -> None:
    if not Path(name).exists():
        pytest.skip(f"this system has no {name}")
    into = folder / "printed"
    command = [*EXECUTABLE, "graph", "topology", "--format", "json", "--output", name]
    piped = subprocess.run(command, capture_output=True, text=True, check=True)
    with into.open("w") as stream:
        stream.write("before\n")
        stream.flush()
        subprocess.run(command, stdout=stream, check=True)
    assert json.loads(piped.stdout)
    assert into.read_text() == "before\n" + piped.stdout


INPUTS = [
    (["graph", "topology/t.yaml", "--output", "topology/t.yaml"], "--output"),
    (["graph", "topology", "--output", "topology/../topology/t.yaml"], "--output"),
    (["graph", "topology", "--output", "link.yaml"], "--output"),
    (["graph", "topology", "--output", "topology/order.schema"], "--output"),
    (["report", "topology", "--output", "topology/t.yaml"], "--output"),
    (["report", "topology", "--audit", "audit.json", "--output", "audit.json"], "--output"),
    (["diff", "topology", "topology/t.yaml", "--output", "topology/t.yaml"], "--output"),
    (["validate", "topology/t.yaml", "--format", "json=topology/t.yaml"], "--format"),
    (["validate", "topology", "--format", "text,json=./topology/t.yaml"], "--format"),
    (["validate", "topology", "--format", "json=b.json", "--baseline", "b.json"], "--format"),
    (["validate", "topology/t.yaml", "--baseline", "topology/t.yaml", "--update-baseline"], "not JSON"),
    (["validate", "topology", "--baseline", "topology/order.schema", "--update-baseline"], "not a baseline"),
    (["validate", "topology", "--baseline", "notes.txt", "--update-baseline"], "not JSON"),
    (["audit", "topology", "--bootstrap", "127.0.0.1:1", "--format", "json=topology/t.yaml"], "--format"),
    (["audit", "topology", "--client-config", "c.properties", "--format", "json=c.properties"], "--format"),
    (["check", "topology", "--bootstrap", "127.0.0.1:1", "--output", "topology/t.yaml"], "also an input"),
    (["check", "topology", "--bootstrap", "127.0.0.1:1", "--incremental", "s", "--output", "s"], "also an input"),
]


@pytest.mark.parametrize(
    ("arguments", "said"), INPUTS, ids=lambda value: " ".join(value) if isinstance(value, list) else ""
)
def test_an_input_is_never_overwritten(folder: Path, arguments: list[str], said: str) -> None:
    (folder / "link.yaml").symlink_to("topology/t.yaml")
    (folder / "notes.txt").write_text("mine")
    audit = {**json.loads(call("validate", "topology", "--format", "json").stdout), "live": {}}
    (folder / "audit.json").write_text(json.dumps(audit))
    (folder / "c.properties").write_text("bootstrap.servers=127.0.0.1:1\n")
    before = {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}
    result = call(*arguments)
    assert result.exit_code == 2, result.output
    assert said in result.stderr
    assert {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()} == before


def test_a_topology_that_cannot_be_read_is_not_overwritten_either(folder: Path) -> None:
    broken = folder / "topology" / "u.yaml"
    broken.write_bytes(b"\xff\xfe")
    result = call("validate", "topology", "--format", "json=topology/u.yaml")
    assert (result.exit_code, broken.read_bytes()) == (2, b"\xff\xfe")
    assert "is also an input" in result.stderr


def test_other_files_in_the_folder_of_the_topology_are_written(folder: Path) -> None:
    for _ in range(2):
        assert call("graph", "topology", "--format", "json", "--output", "topology/graph.json").exit_code == 0
        assert call("validate", "topology", "--format", "json=topology/out.json").exit_code == 1


def test_a_baseline_is_written_anew_over_an_old_or_an_empty_one(folder: Path) -> None:
    for text in (BASELINE, ""):
        (folder / "b.json").write_text(text)
        assert call("validate", "topology", "--baseline", "b.json", "--update-baseline").exit_code == 0
        assert json.loads((folder / "b.json").read_text())["findings"]


@pytest.mark.parametrize("formats", ["json=a,text=a", "json=./a,text=a", "json=a,text=link", "json=a,sarif=b,text=b"])
def test_two_formats_cannot_go_to_one_file(folder: Path, formats: str) -> None:
    (folder / "link").symlink_to("a")
    result = call("validate", "topology", "--format", formats)
    assert result.exit_code == 2
    assert "only one format can go to" in result.stderr
    assert not (folder / "a").exists()


@pytest.mark.parametrize("formats", ["json,text", "json=/dev/stdout,text", "json=/dev/stdout,sarif=/dev/fd/1"])
def test_two_formats_cannot_go_to_stdout(folder: Path, formats: str) -> None:
    result = call("validate", "topology", "--format", formats)
    assert result.exit_code == 2
    assert "only one format can go to stdout" in result.stderr


@pytest.mark.parametrize(
    "arguments",
    [
        ["graph", "topology", "--output", "none/x"],
        ["report", "topology", "--output", "none/x"],
        ["diff", "topology", "topology", "--output", "none/x"],
        ["review", "topology", "--base", "HEAD", "--output", "none/x"],
        ["validate", "topology", "--format", "json=none/x"],
        ["validate", "topology", "--baseline", "none/x", "--update-baseline"],
        ["audit", "topology", "--bootstrap", "127.0.0.1:1", "--format", "json=none/x"],
        ["check", "topology", "--bootstrap", "127.0.0.1:1", "--output", "none/x"],
    ],
    ids=" ".join,
)
def test_a_folder_for_one_file_is_never_made(folder: Path, arguments: list[str]) -> None:
    result = call(*arguments)
    assert result.exit_code == 2, result.output
    assert "there is no folder none" in result.stderr
    assert not (folder / "none").exists()


@pytest.mark.parametrize(
    ("arguments", "file"),
    [
        (["fmt", "topology"], "topology/t.yaml"),
        (["clients", "topology", "--output", "d"], "d/producer-checkout.properties"),
        (["validate", "topology", "--rule", "KT101", "--fix"], "topology/t.yaml"),
        (["validate", "topology", "--format", "json=out.json"], "out.json"),
        (["validate", "topology", "--baseline", "new.json", "--update-baseline"], "new.json"),
        (["graph", "topology", "--output", "x.mmd"], "x.mmd"),
        (["report", "topology"], "report.html"),
        (["diff", "topology", "topology", "--output", "x"], "x"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_a_read_only_folder_is_no_bug(
    folder: Path, monkeypatch: pytest.MonkeyPatch, arguments: list[str], file: str
) -> None:
    def refuse(*_: object, **named: str) -> None:
        raise PermissionError(errno.EACCES, "Permission denied", f"{named['dir']}/.x.tmp")

    with (folder / "topology" / "t.yaml").open("a") as opened:
        opened.write("producers:\n      checkout: {topics: [orders]}\n")
    monkeypatch.setattr(tempfile, "mkstemp", refuse)
    result = call(*arguments)
    assert result.exit_code == 2, result.output
    assert f"{file}: " in result.stderr
    assert "permission denied" in result.stderr
    assert "bug" not in result.output
    assert ".tmp" not in result.output


def test_a_folder_for_clients_below_a_file_is_refused(folder: Path) -> None:
    result = call("clients", "topology", "--output", "b.json/d")
    assert result.exit_code == 2
    assert "b.json/d: not a directory" in result.stderr
