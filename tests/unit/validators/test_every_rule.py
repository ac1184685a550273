"""Each rule's own examples: the good ones pass it, the bad ones are found at the stated line and column."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from kafka_topology.topology import Finding, Topology, load
from kafka_topology.validators import Bad, Rule, builtin_rules, validate

RULES = builtin_rules()
GOOD = [pytest.param(rule, text, id=f"{rule.id}-{n}") for rule in RULES for n, text in enumerate(rule.good)]
BAD = [pytest.param(rule, bad, id=f"{rule.id}-{n}") for rule in RULES for n, bad in enumerate(rule.bad)]


def write(folder: Path, text: str, name: str = "topology.yaml") -> Path:
    file = folder / name
    file.write_text(text)
    (folder / "order.schema.json").write_text("{}")  # the schema that examples refer to
    return file


def load_text(folder: Path, text: str, name: str = "topology.yaml") -> Topology:
    loaded = load(write(folder, text, name))
    assert loaded.topology is not None, [f"{p.location}: {p.message}" for p in loaded.problems]
    return loaded.topology


def findings_of(rule: Rule, folder: Path, text: str, before: str | None) -> list[Finding]:
    if rule.found_by == "loader":
        return [f for f in load(write(folder, text)).problems if f.id == rule.id]
    topology = load_text(folder, text)
    earlier = load_text(folder, before, "before.yaml") if before is not None else None
    return [f for f in validate(topology, before=earlier, rules=[rule]) if f.id == rule.id]


@pytest.mark.parametrize(("rule", "text"), GOOD)
def test_a_good_example_passes(rule: Rule, text: str, tmp_path: Path) -> None:
    assert [f.message for f in findings_of(rule, tmp_path, text, rule.before)] == []


@pytest.mark.parametrize(("rule", "bad"), BAD)
def test_a_bad_example_is_found_where_it_is(rule: Rule, bad: Bad, tmp_path: Path) -> None:
    for name, text in bad.more_files.items():
        write(tmp_path, text, name)
    found = findings_of(rule, tmp_path, bad.yaml, bad.before or rule.before)
    assert [(f.location.line, f.location.column) for f in found] == [(bad.line, bad.column)]
    assert "the rule itself failed" not in found[0].message
    assert found[0].remediation
    assert found[0].resource or rule.found_by == "loader"


@pytest.mark.parametrize(("rule", "bad"), BAD)
def test_an_edit_mends_the_bad_example(rule: Rule, bad: Bad, tmp_path: Path) -> None:
    for name, text in bad.more_files.items():
        write(tmp_path, text, name)
    found = findings_of(rule, tmp_path, bad.yaml, bad.before or rule.before) if rule.found_by != "loader" else []
    for edit in (edit for finding in found for edit in finding.edits):
        at = edit.location
        assert at.line == at.end_line
        lines = bad.yaml.split("\n")
        lines[at.line - 1] = lines[at.line - 1][: at.column - 1] + edit.text + lines[at.line - 1][at.end_column - 1 :]
        assert findings_of(rule, tmp_path, "\n".join(lines), bad.before or rule.before) == []


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.id)
def test_a_rule_is_documented(rule: Rule) -> None:
    assert re.fullmatch(r"KT[0-9]{3}", rule.id)
    assert re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", rule.name)
    assert rule.summary
    assert rule.why
    assert rule.fix
    assert rule.good
    assert rule.bad


def test_ids_and_names_are_unique() -> None:
    assert len({rule.id for rule in RULES}) == len(RULES)
    assert len({rule.name for rule in RULES}) == len(RULES)
