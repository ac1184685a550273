"""Names and texts of a topology reach terminals and logs of jobs: nothing there may obey them."""

from __future__ import annotations

import os
import pty
import re
import subprocess
import sys
from pathlib import Path

import pytest

from kafka_topology.topology.model.words import printable, without_commands

EXECUTABLE = [sys.executable, "-c", "from kafka_topology.cli.entry import main; main()"]
# Erase the screen, conceal, set the title, ring, overwrite the line, C1 control, reverse, isolate; then commands.
HOSTILE = r"x\e[2J\e[8m\e]0;t\a\r\x9b1A\u202e\u2066\n::add-mask::x\n  ::set-env name=A::b\n##[add-path]c ##vso[task.x]d"
TOPOLOGY = f"""\
version: 1
cluster: {{kafka: "4.1", brokers: 3, racks: [a, b, "{HOSTILE}"]}}
topics:
  orders:
    owner: "{HOSTILE}"
    description: "{HOSTILE}"
    partitions: 6
    replication: 3
    config: {{min.insync.replicas: 3}}
  block:
    partitions: 6
    replication: 3
    description: |
      text
      ::stop-commands::x
      ##[group]x
producers:
  p: {{topics: [orders], principal: "User:p", config: {{client.id: "{HOSTILE}"}}}}
consumerGroups:
  g: {{topics: [orders], principal: "User:g", owner: "{HOSTILE}"}}
rules:
  KT901: {{for: topics, expect: topic.partitions == 7, message: "{HOSTILE}", fix: "{HOSTILE}"}}
"""
BROKEN = TOPOLOGY.replace("  p:", f'  "p{HOSTILE}":') + f'"{HOSTILE}": 1\n'
_OBEYED = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]")
_COMMAND = re.compile(r"^\s*::(?!(error|warning|notice) [\w=.,/%-]+)|##(vso)?\[", re.MULTILINE)
COMMANDS = [
    *(
        ["validate", file, "--format", name]
        for file in ("t.yaml", "broken.yaml")
        for name in ("text", "github", "gitlab", "markdown", "json", "sarif", "junit")
    ),
    *(["diff", "old.yaml", "t.yaml", "--format", name] for name in ("text", "github", "markdown", "json")),
    *(["diff", "t.yaml", "old.yaml"], ["diff", "old.yaml", "broken.yaml"]),
    *(["review", "t.yaml", "--base", "HEAD", "--format", name] for name in ("text", "github", "markdown")),
    *(["graph", "t.yaml", "--format", name] for name in ("mermaid", "svg", "json")),
    *(
        ["clients", "t.yaml"],
        ["clients", "t.yaml", "--format", "json"],
        ["show", "t.yaml"],
        ["show", "t.yaml", "--acls"],
    ),
    *(
        ["what-if", "t.yaml", "--lose-rack", "a"],
        ["fmt", "t.yaml", "--diff"],
        ["fmt", "broken.yaml"],
        ["explain", "KT901"],
    ),
    *(["validate", "\x1b[2J\n::add-mask::x.yaml"], ["diff", "\x1b[8m:t.yaml", "t.yaml"], ["explain", "\x1b[2J\n::x::"]),
]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("GITHUB_ACTIONS", "true")
    (tmp_path / "t.yaml").write_text(TOPOLOGY)
    (tmp_path / "broken.yaml").write_text(BROKEN)
    (tmp_path / "old.yaml").write_text("version: 1\ntopics: {orders: {partitions: 6, replication: 3, owner: a}}\n")
    git = ["git", "-c", "user.name=t", "-c", "user.email=t@example.com"]
    subprocess.run([*git, "init", "-q"], check=True)
    subprocess.run([*git, "add", "old.yaml"], check=True)
    subprocess.run([*git, "commit", "-qm", "old"], check=True)
    return tmp_path


@pytest.mark.parametrize("arguments", COMMANDS, ids=ascii)
def test_a_job_obeys_nothing(folder: Path, arguments: list[str]) -> None:
    done = subprocess.run([*EXECUTABLE, *arguments], capture_output=True, check=False)
    said = (done.stdout + done.stderr).decode()
    assert said.strip()
    assert "Traceback" not in said
    assert _OBEYED.findall(said) == []
    assert _COMMAND.findall(said) == []


@pytest.mark.parametrize(
    "arguments",
    [
        ["validate", "t.yaml"],
        ["diff", "old.yaml", "t.yaml"],
        ["clients", "t.yaml"],
        ["show", "t.yaml"],
        ["fmt", "--diff", "t.yaml"],
    ],
    ids=ascii,
)
def test_a_terminal_gets_colours_and_obeys_nothing_else(folder: Path, arguments: list[str]) -> None:
    ours, theirs = pty.openpty()
    with subprocess.Popen(
        [*EXECUTABLE, *arguments], stdout=theirs, stderr=theirs, env={**os.environ, "TERM": "xterm-256color"}
    ) as process:
        os.close(theirs)
        said = b""
        while block := _read(ours):
            said += block
        process.wait()
    os.close(ours)
    plain = re.sub(r"\x1b\[[0-9;]*m", "", said.decode().replace("\r\n", "\n"))
    assert _OBEYED.findall(plain) == []
    assert "\x1b[8m" not in said.decode()


def _read(terminal: int) -> bytes:
    try:
        return os.read(terminal, 2**16)
    except OSError:  # Linux says so when the other end is closed
        return b""


@pytest.mark.parametrize("name", ["github", "gitlab", "markdown"])
def test_a_file_that_a_job_may_print_holds_nothing_to_obey(folder: Path, name: str) -> None:
    subprocess.run([*EXECUTABLE, "validate", "t.yaml", "--format", f"{name}=out.txt"], capture_output=True, check=False)
    text = (folder / "out.txt").read_text()
    assert "KT901" in text
    assert _OBEYED.findall(text) == []


def test_a_page_holds_no_mark_that_reorders_it(folder: Path) -> None:
    subprocess.run([*EXECUTABLE, "report", "t.yaml", "--output", "out.html"], capture_output=True, check=False)
    assert _OBEYED.findall((folder / "out.html").read_text()) == []


def test_a_redirected_file_gets_the_text_as_it_is(folder: Path) -> None:
    with (folder / "out.txt").open("wb") as out:
        subprocess.run([*EXECUTABLE, "validate", "t.yaml"], stdout=out, check=False)
    assert "##[add-path]c" in (folder / "out.txt").read_text()


def test_escapes_are_the_same_text_in_json() -> None:
    assert printable("a\x1b[2J\tb\n\u202e\x9b\r") == "a\\u001b[2J\tb\n\\u202e\\u009b\\u000d"
    assert without_commands("##[a] ::b\n  ::c::\n::error file=x::y\n# #[") == (
        "\\u0023#[a] ::b\n  \\u003a:c::\n::error file=x::y\n# #["
    )
