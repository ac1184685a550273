"""Patterns for names come from a pull request: they match in a process of their own, with a limit."""

from __future__ import annotations

import os
from pathlib import Path
from unittest.mock import Mock

import pytest

from kafka_topology.topology import Finding, Severity, load
from kafka_topology.validators import run
from kafka_topology.validators.engine import patterns
from kafka_topology.validators.engine.patterns import (
    BadPattern,
    LargePattern,
    SlowPattern,
    StoppedPattern,
    not_fitting,
)
from kafka_topology.validators.rules.language import kt012_name_against_convention


def test_names_that_do_not_match_as_a_whole_are_given() -> None:
    assert not_fitting(r"[a-z]+", ("a", "A", "ab", "a1", "")) == ("A", "a1", "")


@pytest.mark.parametrize("pattern", ["(a+)+$", "(.*.*.*.*.*.*.*)x", "(a|a)*b", "(?:a?){60}a{60}b"])
def test_a_pattern_that_takes_hours_is_stopped(pattern: str) -> None:
    before = os.times().children_user
    with pytest.raises(SlowPattern):
        not_fitting(pattern, ("a" * 60 + "!", "a" * 240 + "!"))
    assert os.times().children_user - before < 3


def test_a_pattern_that_needs_much_memory_is_stopped(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(patterns, "LIMIT_MEMORY", 60 * 2**20)
    monkeypatch.setattr(patterns, "_MEMORY_PER_BYTE", 0)
    monkeypatch.setattr(patterns, "LIMIT_SECONDS", 20.0)
    with pytest.raises(LargePattern):
        not_fitting("(?:ab|[ac])" * 60_000, ("a",))
    monkeypatch.setattr(kt012_name_against_convention, "not_fitting", Mock(side_effect=LargePattern))
    [found] = findings(tmp_path, "topics: 'a+'")
    assert found.severity is Severity.ERROR
    assert found.message.endswith("which needs too much memory, so no name was checked")


def test_nothing_is_said_of_a_pattern_whose_process_was_ended(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    worker = tmp_path / "worker.py"
    worker.write_text("import os, signal\nos.kill(os.getpid(), signal.SIGKILL)\n")
    monkeypatch.setattr(patterns, "_WORKER", worker)
    with pytest.raises(StoppedPattern):
        not_fitting("[a-z]+unlike-others", ("a",))


@pytest.mark.parametrize("pattern", ["(", "a{99999999999}", "(" * 5000 + ")" * 5000, "(?P<a>"])
def test_a_pattern_that_is_none_is_said(pattern: str) -> None:
    with pytest.raises(BadPattern):
        not_fitting(pattern, ("a",))


def findings(folder: Path, rule: str) -> list[Finding]:
    file = folder / "t.yaml"
    topic, group = "a" * 60 + ".b", "b" * 60 + ".b"
    file.write_text(
        f"version: 1\ntopics:\n  {topic}: {{partitions: 6, replication: 3}}\n"
        f"consumerGroups: {{{group}: {{topics: [{topic}]}}}}\nshareGroups: {{s.x: {{topics: [{topic}]}}}}\n"
        f"rules:\n  KT012: {{severity: warning, {rule}}}\n"
    )
    loaded = load(file)
    assert loaded.topology is not None
    return [finding for finding in run(loaded.topology).findings if finding.id == "KT012"]


def test_a_slow_naming_convention_is_an_error_because_no_name_was_checked(tmp_path: Path) -> None:
    [found] = findings(tmp_path, "topics: '(a+)+'")
    assert found.severity is Severity.ERROR
    assert found.message == "KT012: option topics is `(a+)+`, which takes too long to match, so no name was checked"
    assert found.location.line == 7


def test_each_kind_of_group_is_named(tmp_path: Path) -> None:
    found = findings(tmp_path, "topics: '.*', groups: 'x.*'")
    assert [finding.message.partition("the name of the ")[2].partition(" does")[0] for finding in found] == [
        "group",
        "share group",
    ]
