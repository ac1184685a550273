"""A table of changes: for each the class, the reasons and the sentences that a reviewer reads."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from kafka_topology.review import Change, compare
from kafka_topology.topology import Topology, load
from kafka_topology.validators import validate

PAIRS = yaml.safe_load((Path(__file__).parent / "pairs.yaml").read_text())


def topology(folder: Path, *parts: str, files: dict[str, str]) -> Topology:
    folder.mkdir()
    for number, part in enumerate(filter(None, parts)):
        text = f"{{version: 1, {part[1:]}" if part.startswith("{") else f"version: 1\n{part}"
        (folder / f"{number}.yaml").write_text(text)
    for name, text in files.items():
        (folder / name).write_text(text)
    loaded = load(folder)
    assert loaded.topology is not None, loaded.problems
    return loaded.topology


def changes_of(pair: dict, folder: Path) -> tuple[Change, ...]:
    base = pair.get("base", "")
    before = topology(folder / "before", base, pair["before"], files=pair.get("before_files", {}))
    after = topology(folder / "after", base, pair["after"], files=pair.get("after_files", {}))
    return compare(before, after, validate(after, before=before))


def fits(change: Change, expected: dict) -> bool:
    title, risk = next(iter(expected.items()))
    told = "\n".join([change.what, change.reason, *(effect.text for effect in change.effects)])
    return (
        change.title == title
        and change.risk == risk
        and change.path.startswith(expected.get("path", ""))
        and ("path" in expected or change.kind == "access" or not change.path)
        and ("team" not in expected or change.team == expected["team"])
        and all(words in told for words in expected.get("says", ()))
        and ("rules" not in expected or list(change.rules) == expected["rules"])
    )


@pytest.mark.parametrize("pair", PAIRS, ids=lambda pair: pair["name"])
def test_the_class_and_the_sentences_of_a_change(pair, tmp_path):
    changes = changes_of(pair, tmp_path)
    shown = "\n".join(
        f"{c.title} | {c.path} | {c.risk} | {c.what} | {c.reason} | {c.rules} | {[e.text for e in c.effects]}"
        for c in changes
    )
    for expected in (*pair.get("only", ()), *pair.get("some", ())):
        assert any(fits(change, expected) for change in changes), f"no {expected} in\n{shown}"
    if "only" in pair:
        assert len(changes) == len(pair["only"]), shown
    for title, risk in pair.get("risks", {}).items():
        assert {change.risk for change in changes if change.title == title} == {risk}, shown
    for words in pair.get("never", ()):
        assert changes
        assert words not in shown


def test_there_are_enough_pairs():
    assert len(PAIRS) >= 40


@pytest.mark.parametrize("pair", PAIRS, ids=lambda pair: pair["name"])
def test_every_change_is_at_a_place_and_has_a_reason(pair, tmp_path):
    for change in changes_of(pair, tmp_path):
        assert change.location is not None or change.was_at is not None
        assert change.reason
        assert "new to this review" not in change.reason
