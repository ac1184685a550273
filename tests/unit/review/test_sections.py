"""Every section of a topology is compared; one that no subject judges is reported as unclassified."""

from __future__ import annotations

from dataclasses import dataclass, field, fields, make_dataclass
from pathlib import Path
from typing import Any

import pytest
import yaml
from versions import version_of

from kafka_topology.review import Change, compare, sections
from kafka_topology.review.fields import with_unit
from kafka_topology.review.registry import change_kinds, judged_sections, subjects
from kafka_topology.topology import Topology
from kafka_topology.topology.language.document import SECTIONS
from kafka_topology.topology.model.declared import Declared

COMPARED = {attribute.name for attribute in fields(Topology) if attribute.compare}
PAIRS = yaml.safe_load((Path(__file__).parent / "pairs.yaml").read_text())
PLAIN = "topics: {a: {partitions: 3, replication: 3}}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Connector(Declared):
    tasks: int = 1


def with_section(folder: Path, value: Any) -> Topology:
    """A topology whose class has one more field, as after the first steps of the recipe for a kind."""
    extended = make_dataclass(
        "Extended", [("inventions", Any, field(default=None))], bases=(Topology,), frozen=True, slots=True, kw_only=True
    )
    plain = version_of(folder, PLAIN, files={})
    return extended(**{each.name: getattr(plain, each.name) for each in fields(plain)}, inventions=value)


def changes(folder: Path, before: Any, after: Any) -> list[Change]:
    found = compare(with_section(folder / "before", before), with_section(folder / "after", after))
    assert {change.kind for change in found} <= {"section"}
    assert {change.risk for change in found} <= {"needs care"}
    assert {change.reason for change in found} <= {"unclassified section; review it manually"}
    for change in found:
        assert (change.location is None) == (change.action == "remove")
        assert (change.was_at is None) == (change.action == "add")
    return list(found)


def place(*_path: str | int) -> Any:
    raise AssertionError("the place of the topology is enough")


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        ({"sink": 1}, {"sink": 2}, [("inventions.sink", "1 → 2")]),
        ({"sink": 1}, {}, [("inventions.sink", "removed")]),
        ({}, {"sink": 1}, [("inventions.sink", "new")]),
        ((1, 2), (2, 1), [("inventions.0", "1 → 2"), ("inventions.1", "2 → 1")]),
        ((1,), (1, 2), [("inventions.1", "new")]),
        (None, 5, [("inventions", "new")]),
        (5, 6, [("inventions", "5 → 6")]),
        ({"password": "old"}, {"password": "new"}, [("inventions.password", "[secret] → [secret]")]),
        (
            {"sink": Connector(place=place)},
            {"sink": Connector(place=place, tasks=2)},
            [("inventions.sink", "a record → another record")],
        ),
        ({"sink": 1}, {"sink": 1}, []),
    ],
)
def test_a_section_that_no_module_judges_is_unclassified(tmp_path, before, after, expected):
    found = changes(tmp_path, before, after)
    assert [(change.name, change.what) for change in found] == expected


def test_fields_of_a_section_of_the_language_are_named_one_by_one(tmp_path, monkeypatch):
    monkeypatch.setattr(sections, "judged_sections", lambda: judged_sections() - {"users"})
    base = version_of(tmp_path / "0", "users: {u: {mechanism: SCRAM-SHA-256, password: {secret: a}}}", files={})
    head = version_of(tmp_path / "1", "users: {u: {mechanism: SCRAM-SHA-512, password: {secret: a}}}", files={})
    unclassified = [change for change in compare(base, head) if change.kind == "section"]
    assert [(change.name, change.what) for change in unclassified] == [
        ("users.u", "mechanism: SCRAM-SHA-256 → SCRAM-SHA-512")
    ]
    assert unclassified[0].location.line == 2


def test_every_section_of_the_language_is_compared():
    # A profile shows as the values it gives to topics.
    assert {section.model_name for section in SECTIONS} - {"profiles"} <= COMPARED
    assert judged_sections() <= COMPARED


def test_a_change_of_each_judged_section_alone_is_reported(tmp_path):
    """Some pair of pairs.yaml differs in each of them alone; test_pairs.py asserts what is reported of it."""
    alone = set()
    for number, pair in enumerate(pair for pair in PAIRS if pair["changes"]):
        base = pair.get("base", "")
        before = version_of(tmp_path / f"{number}a", base, pair["before"], files=pair.get("before_files", {}))
        after = version_of(tmp_path / f"{number}b", base, pair["after"], files=pair.get("after_files", {}))
        differing = {name for name in COMPARED if getattr(before, name) != getattr(after, name)}
        alone |= differing if len(differing) == 1 else set()
    assert alone == judged_sections(), "add a pair to pairs.yaml that differs in this section only"


def test_each_section_and_kind_belongs_to_one_subject():
    sections = [section for subject in subjects() for section in subject.sections]
    assert len(sections) == len(set(sections))
    assert len(change_kinds()) == len(set(change_kinds()))
    assert len({subject.order for subject in subjects()}) == len(subjects())


@pytest.mark.parametrize(
    ("setting", "value", "text"),
    [
        ("local.retention.ms", "-2", "as retention.ms"),
        ("local.retention.bytes", "-2", "as retention.bytes"),
        ("local.retention.ms", "86400000", "1d"),
        ("retention.ms", "-1", "forever"),
        ("retention.bytes", "-1", "no limit"),
    ],
)
def test_values_without_a_limit_say_what_they_mean(setting, value, text):
    assert with_unit(value, setting) == text
