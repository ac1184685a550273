"""What goes wrong with the Pulumi CLI itself."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from kafka_topology.stacks.project import Project
from kafka_topology.stacks.pulumi_cli import PulumiCli, PulumiSilent, StackUnreadable


@pytest.fixture
def project(tmp_path):
    (tmp_path / "Pulumi.yaml").write_text("name: shop\n")
    return Project(tmp_path / "Pulumi.yaml")


def cli(project, script=None, **options):
    tools = project.root / "tools"
    tools.mkdir()
    if script is not None:
        (tools / "pulumi").write_text(f"#!{sys.executable}\n{script}")
        (tools / "pulumi").chmod(0o755)
    return PulumiCli(project, {"PATH": str(tools)}, **options)


def test_a_missing_cli_is_named(project):
    with pytest.raises(StackUnreadable, match="no `pulumi` on PATH"):
        cli(project).selected()


def test_a_cli_that_cannot_start_is_named(project):
    tool = cli(project, "")
    (project.root / "tools" / "pulumi").write_bytes(b"\x7fELF")
    with pytest.raises(StackUnreadable, match=r"cannot start .*pulumi: exec format error"):
        tool.selected()


def test_a_silent_cli_is_ended_with_what_it_started(project):
    tool = cli(project, "", seconds=5)
    shell = f"#!/bin/sh\n/bin/sleep 600 &\necho $$ $! > {project.root / 'started'}\nwait\n"
    (project.root / "tools" / "pulumi").write_text(shell)
    with pytest.raises(PulumiSilent, match=r"`pulumi stack` gave no answer within 5 seconds"):
        tool.selected()
    for process in (project.root / "started").read_text().split():
        state = subprocess.run(["ps", "-o", "stat=", "-p", process], capture_output=True, text=True, check=False).stdout
        assert state.strip()[:1] in {"", "Z"}


def test_it_is_asked_for_nothing_and_downloads_nothing(project):
    script = (
        "import os, sys\n"
        "assert sys.stdin.read() == ''\n"
        "assert '--non-interactive' in sys.argv\n"
        "assert os.environ['PULUMI_DISABLE_AUTOMATIC_PLUGIN_ACQUISITION'] == 'true'\n"
        "print('dev')\n"
    )
    assert cli(project, script).selected() == "dev"


@pytest.mark.parametrize("answer", ["hunter2", '["hunter2"]', '{"a": "hunter2"}'])
def test_an_answer_that_is_not_understood_is_not_shown(project, answer):
    """It may hold secrets."""
    with pytest.raises(StackUnreadable) as raised:
        cli(project, f"print({answer!r})").config("dev", secrets=True)
    assert "hunter2" not in str(raised.value)
    assert "pulumi config --json" in str(raised.value)


def test_its_errors_are_shown_on_one_line(project):
    script = "import sys; sys.exit('warning: old version\\nerror: passphrase\\x1b[31m must\\n  be set.')"
    with pytest.raises(StackUnreadable, match=r"pulumi: passphrase \[31m must be set$"):
        cli(project, script).selected()


def test_it_runs_where_the_user_is(project, monkeypatch):
    """A relative path in one of its variables then means what the user means."""
    inside = project.root / "topology"
    inside.mkdir()
    monkeypatch.chdir(inside)
    tool = cli(project, "import os; print(os.getcwd())")
    assert tool.selected() == str(inside)
    monkeypatch.chdir(os.sep)
    assert tool.selected() == str(project.root)
