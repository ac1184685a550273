"""Checks are found, not listed: those of the product by their modules, those of others by an entry point."""

from __future__ import annotations

import re
from importlib.metadata import EntryPoint
from pathlib import Path

import pytest
from check_packs import installed_pack

from kafka_topology.spark_checks import checks
from kafka_topology.spark_checks.registry import (
    GROUP,
    BrokenPack,
    builtin_checks,
    descriptions,
    installed_checks,
    installed_packs,
    load_packs,
)
from kafka_topology.topology.language.topics import TOPIC


def test_every_module_of_the_package_is_a_check_with_a_place_of_its_own() -> None:
    modules = {file.stem for folder in checks.__path__ for file in Path(folder).glob("[!_]*.py")}
    found = builtin_checks()
    assert {type(check).__module__.rpartition(".")[2] for check in found} == modules
    assert len({check.about.order for check in found}) == len({check.id for check in found}) == len(modules)


@pytest.mark.parametrize("check", builtin_checks(), ids=lambda check: check.id)
def test_every_check_describes_itself(check) -> None:
    about = check.about
    assert re.fullmatch("[a-z]+(-[a-z]+)*", about.id)
    for sentence in (about.summary, about.why, about.fix):
        assert re.fullmatch(r"[A-Z].*[.]", sentence)
    for part in (about.needs, about.violation, *about.metrics.values()):
        assert part
        assert "|" not in part
    assert about.declared_at[0] in {field.name for field in TOPIC.fields}


def test_a_check_of_others_takes_its_place(tmp_path: Path) -> None:
    with installed_pack(tmp_path):
        ids = [check.id for check in installed_checks()]
        assert ids[ids.index("nulls") + 1] == "acme/deletions"
        assert ids[-1] == "acme/traced"  # without a place of its own it follows ours
        assert len(ids) == len(builtin_checks()) + 2
        assert descriptions()["acme/deletions"].summary == "No record deletes a key."
    assert "acme/deletions" not in descriptions()


@pytest.mark.parametrize(
    ("value", "reason"),
    [
        ("no_such_module:checks", "ModuleNotFoundError"),
        ("json:no_such_function", "AttributeError"),
        ("json:dumps", "TypeError"),
        ("sys:exit", "SystemExit"),
        ("os:listdir", "it offers a str, which is not a Check"),
        ("kafka_topology.spark_checks.registry:builtin_checks", "`placement` has no prefix"),
    ],
)
def test_a_broken_pack_is_named_and_leaves_the_others_usable(
    value: str, reason: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    packs = load_packs([EntryPoint("acme", value, GROUP)])
    assert packs.checks == builtin_checks()
    assert reason in packs.broken[0]
    assert "checks of acme" in packs.broken[0]
    monkeypatch.setattr("kafka_topology.spark_checks.registry.installed_packs", lambda: packs)
    assert list(descriptions()) == [check.id for check in builtin_checks()]
    # A report without them would look complete.
    with pytest.raises(BrokenPack, match="fix or uninstall"):
        installed_checks()


def test_two_packs_cannot_offer_the_same_check(tmp_path: Path) -> None:
    with installed_pack(tmp_path):
        twice = [EntryPoint(name, "acme_checks:checks", GROUP) for name in ("acme", "copy")]
        packs = load_packs(twice)
    assert len(packs.checks) == len(builtin_checks()) + 2
    (broken,) = packs.broken
    assert "checks of copy (acme_checks:checks)" in broken
    assert "another pack already has a check acme/traced" in broken
    assert installed_packs().broken == ()
