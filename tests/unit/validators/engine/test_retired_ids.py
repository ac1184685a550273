"""Ids of rules that became a part of others: what people wrote with them still works, and says so."""

from __future__ import annotations

import json
from pathlib import Path

from click.testing import CliRunner

from kafka_topology.cli.main import main
from kafka_topology.topology import Severity, load
from kafka_topology.validators import Outcome, builtin_rules, retired_ids, run

RARE = """\
version: 1
topics:
  rare:
    partitions: 6
    replication: 3
    retention: 7d
    throughput: {average: 1KB/s}
"""


def outcome_of(folder: Path, text: str) -> Outcome:
    (folder / "topology.yaml").write_text(text)
    topology = load(folder).topology
    assert topology is not None
    return run(topology)


def test_a_retired_id_is_no_rule_and_belongs_to_one() -> None:
    rules = {rule.id for rule in builtin_rules()}
    retired = retired_ids(builtin_rules())
    assert retired["KT310"] == "KT303"
    assert rules.isdisjoint(retired)
    assert rules.issuperset(retired.values())


def test_a_suppression_with_a_retired_id_suppresses_the_rule_and_says_so(tmp_path: Path) -> None:
    for text in (
        f"{RARE}    ignore: {{KT310: a test writes it once a day}}\n",
        RARE.replace("  rare:", "  # kafka-topology: ignore KT310 a test writes it once a day\n  rare:"),
    ):
        outcome = outcome_of(tmp_path, text)
        assert "KT303" in {each.finding.id for each in outcome.suppressed}
        assert "KT303" not in {finding.id for finding in outcome.findings}
        (about,) = [finding for finding in outcome.findings if finding.id == "KT011"]
        assert about.severity is Severity.WARNING
        assert "KT310, which became a part of KT303" in about.message


def test_both_ids_on_one_resource_are_no_error(tmp_path: Path) -> None:
    outcome = outcome_of(tmp_path, f"{RARE}    ignore: {{KT303: rare, KT310: rare}}\n")
    assert "KT303" not in {finding.id for finding in outcome.findings}
    assert {finding.severity for finding in outcome.findings if finding.id == "KT011"} == {Severity.WARNING}


def test_settings_of_a_retired_id_are_a_warning(tmp_path: Path) -> None:
    outcome = outcome_of(tmp_path, f"{RARE}rules: {{KT310: {{severity: off}}}}\n")
    (about,) = [finding for finding in outcome.findings if finding.id == "KT006"]
    assert about.severity is Severity.WARNING
    assert about.fix == "set KT303 instead, or remove KT310"
    assert "KT303" in {finding.id for finding in outcome.findings}


def test_a_run_covers_the_retired_ids_of_its_rules(tmp_path: Path) -> None:
    outcome = outcome_of(tmp_path, RARE)
    assert "KT310" in outcome.covered
    assert "KT310" not in outcome.ran


def test_commands_understand_a_retired_id(tmp_path: Path) -> None:
    (tmp_path / "topology.yaml").write_text(RARE)
    page = CliRunner().invoke(main, ["explain", "kt310"])
    assert page.exit_code == 0
    assert page.output.startswith("# KT303:")
    assert "replaces KT310" in page.output
    listed = json.loads(CliRunner().invoke(main, ["rules", "--format", "json"]).output)["rules"]
    assert next(rule["replaces"] for rule in listed if rule["id"] == "KT303") == ["KT310"]
    found = CliRunner().invoke(main, ["validate", str(tmp_path), "--rule", "KT310", "--fail-on", "advice"])
    assert found.exit_code == 1
    assert "KT303" in found.output
