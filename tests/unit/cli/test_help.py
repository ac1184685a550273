"""Help groups the commands by what somebody wants to do, and a list of rules can be piped."""

from __future__ import annotations

import re

import click
from click.testing import CliRunner

from kafka_topology.cli.main import main
from kafka_topology.validators import installed_rules


def test_every_command_is_in_one_group():
    said = CliRunner().invoke(main, ["--help"]).stdout
    groups = re.findall(r"^([A-Z][a-z ]+):$", said, flags=re.MULTILINE)
    assert groups[:2] == ["Options", "Start"]
    assert len(groups) >= 5
    listed = re.findall(r"^  ([a-z-]+)  ", said.split("Start:")[1], flags=re.MULTILINE)
    assert sorted(listed) == sorted(main.list_commands(click.Context(main)))


def test_rules_are_one_line_each_where_nobody_reads_them_on_a_screen():
    lines = CliRunner().invoke(main, ["rules"]).stdout.splitlines()
    rows = [line for line in lines if re.match(r"KT[A-Z]?\d+ ", line)]
    assert {row.split()[0] for row in rows} == {rule.id for rule in installed_rules().rules}
    assert max(map(len, rows)) > 120
