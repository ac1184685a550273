"""Patterns for names come from a pull request: they match in a process of their own, with a limit."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from kafka_topology.topology import Finding, Severity, load
from kafka_topology.validators import run
from kafka_topology.validators.engine.patterns import BadPattern, SlowPattern, not_fitting


def test_names_that_do_not_match_as_a_whole_are_given() -> None:
    assert not_fitting(r"[a-z]+", ("a", "A", "ab", "a1", "")) == ("A", "a1", "")


@pytest.mark.parametrize("pattern", ["(a+)+$", "(.*.*.*.*.*.*.*)x", "(a|a)*b", "(?:a?){60}a{60}b"])
def test_a_pattern_that_takes_hours_is_stopped(pattern: str) -> None:
    before = os.times().children_user
    with pytest.raises(SlowPattern):
        not_fitting(pattern, ("a" * 60 + "!", "a" * 240 + "!"))
    assert os.times().children_user - before < 3


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
