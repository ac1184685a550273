"""Any mistake in a file gives an error with the right file, line and column.

Each value and each name of a topology that uses every field is broken in turn, one at a time.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import yaml

from kafka_topology.topology import Finding, load

SHOP = Path(__file__).parents[3] / "data" / "shop"
TEXT = (SHOP / "topology.yaml").read_text(encoding="utf-8")
# Below these, names are the user's or Kafka's, not the language's.
NAMED = {
    "patterns", "profiles", "topics", "producers", "consumerGroups", "shareGroups", "streams", "users", "rules",
    "environments",
    "config", "defaults", "groupConfig", "ignore", "assign", "list", "checks",
}  # fmt: skip
REFERENCES = {
    "profile": "nobody",
    "extends": "nobody",
    "type": "nobody",
    "schema": "nowhere.json",
    "topics": "shop.nobody",
    "reads": "shop.nobody",
    "writes": "shop.nobody",
    "copartitionedWith": "shop.nobody",
}


@dataclass(frozen=True)
class Spot:
    """A value or a name in the file."""

    path: tuple[str, ...]
    start: int
    end: int
    line: int
    column: int
    is_name: bool = False

    def replaced_by(self, text: str) -> str:
        return TEXT[: self.start] + text + TEXT[self.end :]

    def __str__(self) -> str:
        return "/".join(self.path) + (" (name)" if self.is_name else "")


def spots(node: Any, path: tuple[str, ...] = ()) -> Iterator[Spot]:
    if isinstance(node, yaml.MappingNode):
        for key, value in node.value:
            below = (*path, key.value)
            yield spot(key, below, is_name=True)
            yield from spots(value, below)
    elif isinstance(node, yaml.SequenceNode):
        for index, item in enumerate(node.value):
            yield from spots(item, (*path, str(index)))
    else:
        yield spot(node, path)


def spot(node: Any, path: tuple[str, ...], is_name: bool = False) -> Spot:
    start, end = node.start_mark, node.end_mark
    return Spot(path, start.index, end.index, start.line + 1, start.column + 1, is_name)


ALL = list(spots(yaml.compose(TEXT, Loader=yaml.SafeLoader)))
VALUES = [each for each in ALL if not each.is_name]
NAMES = [each for each in ALL if each.is_name]


def is_option_of_a_rule(each: Spot) -> bool:
    return "rules" in each.path and each.path[-1] != "severity" and len(each.path) > each.path.index("rules") + 2


def is_field_of_the_language(each: Spot) -> bool:
    return len(each.path) == 1 or not (each.path[-2] in NAMED or "rules" in each.path[:-2])


def reference(each: Spot) -> str | None:
    """What to write so that this value refers to nothing; None where it is no reference."""
    field = each.path[-2] if each.path[-1].isdecimal() else each.path[-1]
    elsewhere = {"ownership", "internalTopics"} & set(each.path)
    return None if elsewhere else REFERENCES.get(field)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("mistakes") / "shop"
    shutil.copytree(SHOP, folder)
    return folder


def problems(folder: Path, text: str) -> tuple[Finding, ...]:
    (folder / "topology.yaml").write_text(text, encoding="utf-8")
    found = load(folder).problems
    assert all(problem.location.file == str(folder / "topology.yaml") for problem in found)
    return found


def test_the_file_has_no_mistake(folder: Path) -> None:
    for environment in (None, "dev"):
        assert load(SHOP, environment).problems == ()
    assert len(ALL) > 300


@pytest.mark.parametrize("each", [each for each in VALUES if not is_option_of_a_rule(each)], ids=str)
@pytest.mark.parametrize("wrong", ["~", "{wrong: type}", "!!binary x"])
def test_a_value_of_the_wrong_type(folder: Path, each: Spot, wrong: str) -> None:
    wrong = "[wrong]" if wrong == "{wrong: type}" and each.path[-1] == "partitioner" else wrong
    (problem,) = problems(folder, each.replaced_by(wrong))
    assert problem.id == "KT003"
    assert (problem.location.line, problem.location.column) == (each.line, each.column)


@pytest.mark.parametrize("each", [each for each in NAMES if is_field_of_the_language(each)], ids=str)
def test_a_misspelt_field(folder: Path, each: Spot) -> None:
    found = problems(folder, each.replaced_by(f"{each.path[-1]}x"))
    (problem,) = [problem for problem in found if problem.id == "KT002"]
    assert (problem.location.line, problem.location.column) == (each.line, each.column)
    assert problem.fix == f"did you mean `{each.path[-1]}`?"


@pytest.mark.parametrize("each", NAMES, ids=str)
def test_a_name_that_is_none(folder: Path, each: Spot) -> None:
    found = problems(folder, each.replaced_by("~"))
    (problem,) = [problem for problem in found if problem.message == "expected a name, found nothing"]
    assert (problem.location.line, problem.location.column) == (each.line, each.column)


@pytest.mark.parametrize("each", [each for each in VALUES if reference(each)], ids=str)
def test_a_reference_to_nothing(folder: Path, each: Spot) -> None:
    (problem,) = problems(folder, each.replaced_by(reference(each) or ""))
    assert problem.id == "KT006"
    assert (problem.location.line, problem.location.column) == (each.line, each.column)


def test_all_mistakes_are_reported_in_one_run(folder: Path) -> None:
    """A mistake does not hide others, and is not followed by problems that only come from it."""
    chosen = [each for each in VALUES if each.path[-1] in {"replication", "mechanism", "principal", "until", "peak"}]
    text = TEXT
    for each in reversed(chosen):
        text = text[: each.start] + "~" + text[each.end :]
    places = {(problem.location.line, problem.location.column) for problem in problems(folder, text)}
    shifted = {each.line for each in chosen}
    assert {line for line, _ in places} == shifted
    assert len(places) == len(chosen)
