"""The page's section about an audit: what it takes, and that "could not check" never looks like "fine"."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from kafka_topology.cli.commands.report import command
from kafka_topology.report.page import BadAuditFile, parse_audit

TOPOLOGY = "version: 1\ntopics:\n  orders: {partitions: 1, replication: 3}\n"
NOTHING = {"findings": [], "couldNotCheck": [], "live": {"brokers": [], "groups": []}}
ERROR = {"rule": "KTA101", "severity": "error", "message": "gone", "location": {"file": "t.yaml", "line": 3}}

NO_AUDIT = "is not an audit; pass the output of `kafka-topology audit --format json`"


def page(folder: Path, audit: object | None) -> tuple[str, str]:
    """The section of the page, and what the command said."""
    (folder / "t.yaml").write_text(TOPOLOGY)
    (folder / "audit.json").write_text(json.dumps(audit))
    arguments = ["--audit", str(folder / "audit.json")] if audit is not None else []
    result = CliRunner().invoke(command, [str(folder / "t.yaml"), "--output", str(folder / "r.html"), *arguments])
    assert result.exit_code == 0, result.output
    html = (folder / "r.html").read_text()
    return html[html.index('<section id="audit"') :].split("</section>")[0], result.stderr


def test_without_an_audit_the_page_says_how_to_make_one(tmp_path: Path) -> None:
    section, _ = page(tmp_path, None)
    assert "was not audited" in section
    assert "kafka-topology audit PATH" in section


@pytest.mark.parametrize(
    ("change", "tone", "said"),
    [
        ({}, "fine", "no findings"),
        ({"couldNotCheck": ["the users: denied"]}, "error", "no findings, not all checked"),
        ({"findings": [ERROR]}, "error", "1 finding"),
        ({"findings": [{**ERROR, "severity": "warning"}]}, "warning", "1 finding"),
        ({"findings": [{**ERROR, "severity": "dire"}]}, "warning", "no findings, not all checked"),
        ({"findings": ["odd"]}, "warning", "no findings, not all checked"),
    ],
)
def test_the_verdict(tmp_path: Path, change: dict[str, object], tone: str, said: str) -> None:
    section, told = page(tmp_path, {**NOTHING, **change})
    assert f'class="verdict" data-value="{tone}"' in section
    assert f"cluster: {said}" in told


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("no", "is not JSON: "),
        ("[]", NO_AUDIT),
        ("{}", NO_AUDIT),
        ('{"findings": []}', NO_AUDIT),
        ('{"findings": 1, "live": {}}', NO_AUDIT),
    ],
)
def test_another_file_is_refused(text: str, reason: str, tmp_path: Path) -> None:
    with pytest.raises(BadAuditFile, match=f"^{reason}"):
        parse_audit(text)
    (tmp_path / "t.yaml").write_text(TOPOLOGY)
    (tmp_path / "audit.json").write_text(text)
    result = CliRunner().invoke(command, [str(tmp_path / "t.yaml"), "--audit", str(tmp_path / "audit.json")])
    assert result.exit_code == 2
    assert "--audit" in result.stderr
    assert reason in " ".join(result.stderr.split())


def test_odd_parts_are_counted_and_the_rest_is_kept() -> None:
    live = {"brokers": [{"broker": 1}, {"broker": "x"}, 7], "groups": [{"group": "g", "lag": -1}]}
    found = parse_audit(json.dumps({**NOTHING, "live": live}))
    assert (len(found.brokers), found.not_understood, found.groups[0].lag) == (1, 2, None)
    assert not found.is_complete


def test_a_lag_in_time_is_shown_with_what_is_allowed(tmp_path: Path) -> None:
    group = {"group": "g", "state": "Stable", "members": 1, "lag": 7, "maxLag": None}
    late = {**group, "lagSeconds": 861.5, "maxLagSeconds": 600.0}
    section, _ = page(tmp_path, {**NOTHING, "live": {"brokers": [], "groups": [late]}})
    assert '<td class="number" data-value="error">7 (14m 22s)</td><td class="number">10m</td>' in section
    for odd in (float("nan"), float("inf"), -1, True, "x", 1e300):
        unknown = {**group, "lagSeconds": odd, "maxLagSeconds": 600.0}
        section, _ = page(tmp_path, {**NOTHING, "live": {"brokers": [], "groups": [unknown]}})
        assert '<td class="number">7 (unknown)</td>' in section
