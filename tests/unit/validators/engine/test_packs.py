"""Rule packs of others: the example, installed for real, and broken ones."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path

import pytest

from kafka_topology.topology import load
from kafka_topology.validators import builtin_rules, installed_rules, run
from kafka_topology.validators.engine import run as engine
from kafka_topology.validators.engine.registry import GROUP, RulePacks, load_packs

PACK = Path(__file__).parents[4] / "examples" / "rule-pack"


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """An environment in which the example pack is installed, beside the product."""
    folder = tmp_path_factory.mktemp("pack")
    source = folder / "source"
    shutil.copytree(PACK, source, ignore=shutil.ignore_patterns("__pycache__", "build", "*.egg-info"))
    command = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--no-build-isolation"]
    subprocess.run([*command, "--target", str(folder / "site"), str(source)], check=True, capture_output=True)
    return {**os.environ, "PYTHONPATH": str(folder / "site")}


def kafka_topology(*arguments: str, environment: dict[str, str], code: int = 0) -> str:
    command = [sys.executable, "-c", "from kafka_topology.cli.main import main; main()", *arguments]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == code, done.stdout + done.stderr
    return done.stdout


def test_the_example_packs_rule_runs(installed: dict[str, str], tmp_path: Path) -> None:
    file = tmp_path / "topology.yaml"
    file.write_text(
        "version: 1\nrules: {ACME-1: {severity: error, words: 2}}\ntopics:\n"
        "  a: {visibility: public, description: short, partitions: 1, replication: 3}\n"
    )
    output = kafka_topology("validate", str(file), "--rule", "ACME", "--format", "json", environment=installed, code=1)
    [finding] = json.loads(output)["findings"]
    assert (finding["rule"], finding["location"]["line"], finding["severity"]) == ("ACME-1", 4, "error")


def test_the_example_packs_rule_is_listed_and_explained(installed: dict[str, str]) -> None:
    listed = json.loads(kafka_topology("rules", "--category", "acme", "--format", "json", environment=installed))
    assert [rule["id"] for rule in listed["rules"]] == ["ACME-1"]
    assert "# ACME-1: public-topic-without-description" in kafka_topology("explain", "ACME-1", environment=installed)


def test_the_example_packs_own_tests_pass(installed: dict[str, str]) -> None:
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", str(PACK / "tests")]
    done = subprocess.run(command, env=installed, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout


def test_our_own_rules_come_by_the_same_entry_point() -> None:
    assert [point.name for point in entry_points(group=GROUP) if point.name == "builtin"] == ["builtin"]
    assert {rule.id for rule in builtin_rules()} <= {rule.id for rule in installed_rules().rules}


def point(value: str) -> EntryPoint:
    return EntryPoint("broken", value, GROUP)


@pytest.mark.parametrize(
    ("value", "reason"),
    [
        ("no_such_module:rules", "ModuleNotFoundError"),
        ("json:no_such_function", "AttributeError"),
        ("json:dumps", "TypeError"),
        ("sys:exit", "SystemExit"),
        ("sys:getswitchinterval", "TypeError"),
        ("os:listdir", "not a Rule"),
        ("kafka_topology.validators.engine.registry:builtin_rules", "own ids"),
    ],
)
def test_a_broken_pack_is_reported_and_leaves_the_others_in_use(value: str, reason: str) -> None:
    packs = load_packs([point(value)])
    assert [rule.id for rule in packs.rules] == [rule.id for rule in builtin_rules()]
    assert reason in packs.broken[0].reason


def test_a_broken_pack_becomes_a_finding(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    broken: RulePacks = load_packs([point("no_such_module:rules")])
    monkeypatch.setattr(engine, "installed_rules", lambda: broken)
    file = tmp_path / "topology.yaml"
    file.write_text("version: 1\ntopics:\n  a: {partitions: 1, replication: 3}\n")
    topology = load(file).topology
    assert topology is not None
    findings = [f for f in run(topology).findings if f.id == "KT000"]
    assert [f.severity.value for f in findings] == ["error"]
    assert "no_such_module" in findings[0].message
