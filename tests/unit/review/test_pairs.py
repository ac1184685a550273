"""A table of changes: for each the class, the reasons and the sentences that a reviewer reads."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml
from versions import version_of

from kafka_topology.review import Change, compare
from kafka_topology.review.changes import UNJUDGED
from kafka_topology.review.registry import change_kinds
from kafka_topology.review.subjects.topics import topic as topic_review
from kafka_topology.topology.language.document import DOCUMENT
from kafka_topology.validators import validate

PAIRS = yaml.safe_load((Path(__file__).parent / "pairs.yaml").read_text())
UNCLASSIFIED = "unclassified field; review it manually"


def changes_of(pair: dict, folder: Path) -> tuple[Change, ...]:
    base = pair.get("base", "")
    before = version_of(folder / "before", base, pair["before"], files=pair.get("before_files", {}))
    after = version_of(folder / "after", base, pair["after"], files=pair.get("after_files", {}))
    return compare(before, after, validate(after, before=before))


def fits(change: Change, expected: dict) -> bool:
    title, risk = next(iter(expected.items()))
    told = "\n".join([change.what, change.reason, *(effect.text for effect in change.effects)])
    return (
        change.title == title
        and change.risk == risk
        # The path of access is its resource, which the sentence names.
        and (change.path == expected.get("path", "") or (change.kind == "access" and "path" not in expected))
        and ("team" not in expected or change.team == expected["team"])
        and all(words in told for words in expected.get("says", ()))
        and list(change.rules) == expected.get("rules", [])
    )


@pytest.mark.parametrize("pair", PAIRS, ids=lambda pair: pair["name"])
def test_the_class_and_the_sentences_of_a_change(pair, tmp_path):
    changes = changes_of(pair, tmp_path)
    shown = "\n".join(
        f"{c.title} | {c.path} | {c.risk} | {c.what} | {c.reason} | {c.rules} | {[e.text for e in c.effects]}"
        for c in changes
    )
    named = []
    for expected in pair["changes"]:
        fitting = [number for number, change in enumerate(changes) if fits(change, expected)]
        assert len(fitting) == 1, f"{len(fitting)} changes fit {expected} in\n{shown}"
        named += fitting
    assert sorted(named) == list(range(len(changes))), f"each change must be named once in\n{shown}"
    for words in pair.get("never", ()):
        assert words not in repr(changes)


@pytest.mark.parametrize("pair", PAIRS, ids=lambda pair: pair["name"])
def test_a_pair_has_no_field_that_nothing_reads(pair):
    assert pair.keys() <= {"name", "base", "before", "after", "before_files", "after_files", "changes", "never"}
    assert isinstance(pair["changes"], list)
    for title, *others in pair["changes"]:
        assert " " in title
        assert set(others) <= {"path", "team", "says", "rules"}


def test_the_names_of_pairs_are_unique():
    assert len({pair["name"] for pair in PAIRS}) == len(PAIRS)


@pytest.mark.parametrize(
    ("section", "kind", "elsewhere"),
    [
        # A profile, a retention and a template show as the values they give.
        ("topics", "topic", {"profile", "retention", "forEach"}),
        ("producers", "producer", set()),
        ("consumerGroups", "group", set()),
        ("streams", "streams", {"writes"}),  # judged as `reads` is
    ],
)
def test_pairs_change_every_field_of_the_language(section, kind, elsewhere):
    fields = {field.name for field in DOCUMENT.by_name[section].kind.item.fields}
    changes = [change for pair in PAIRS for change in pair["changes"]]
    changed = {
        change["path"].split(".")[0] for change in changes if next(iter(change)).split()[0] == kind and "path" in change
    }
    assert changed == fields - elsewhere, "add a pair to pairs.yaml that changes this field"


def test_pairs_have_every_kind_of_change():
    kinds = {next(iter(change)).split()[0] for pair in PAIRS for change in pair["changes"]}
    assert kinds == set(change_kinds()) - {UNJUDGED}  # which test_sections.py has


@pytest.mark.parametrize("pair", PAIRS, ids=lambda pair: pair["name"])
def test_every_change_is_at_a_place_and_has_a_reason(pair, tmp_path):
    changes = changes_of(pair, tmp_path)
    assert bool(changes) == bool(pair["changes"])
    for change in changes:
        # What is new is in the later version, what is removed was in the earlier one.
        assert change.location is not None or change.action == "remove"
        assert change.location is not None or change.was_at is not None
        assert change.reason
        assert change.reason != UNCLASSIFIED


def test_a_field_that_no_judge_knows_asks_for_a_look(monkeypatch, tmp_path):
    monkeypatch.delitem(topic_review._BY_FIELD, "visibility")
    pair = next(pair for pair in PAIRS if pair["name"] == "a private topic made public")
    (change,) = changes_of(pair, tmp_path)
    assert (change.risk, change.reason) == ("needs care", UNCLASSIFIED)
