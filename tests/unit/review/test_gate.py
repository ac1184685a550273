"""What makes a review fail, and that the first line says so."""

from __future__ import annotations

import json
from xml.etree import ElementTree as ET

import pytest
from gitted import Repository, repository_of, run

BASE = """\
version: 1
topics:
  orders: {owner: a, partitions: 6, replication: 3, retention: 30d, deletion: allowed, config: {min.insync.replicas: 3}}
  carts: {owner: a, partitions: 6, replication: 3, deletion: allowed, config: {min.insync.replicas: 2}}
"""


@pytest.fixture
def repository(tmp_path, monkeypatch) -> Repository:
    """The base has an error of its own: min.insync.replicas equals the replicas."""
    made = repository_of(tmp_path / "repository", {"t.yaml": BASE})
    monkeypatch.chdir(made.root)
    return made


def first_line(text: str) -> str:
    return text.splitlines()[0]


def test_what_the_base_has_does_not_fail(repository):
    assert repository.review().exit_code == 0
    text = repository.review().stdout
    assert first_line(text) == "✅ no risk"
    assert "shown with --all" in text
    assert "KT101" not in text
    every = repository.review("--all")
    assert every.exit_code == 0
    assert "KT1" in every.stdout
    assert "KT1" not in repository.review("--format", "github").stdout
    assert "the base has it, too" in repository.review("--format", "github", "--all").stdout
    assert json.loads(repository.review("--format", "sarif").stdout)["runs"][0]["results"] == []


def test_only_the_new_error_fails(repository):
    repository.edit(
        "t.yaml",
        (
            "carts: {owner: a, partitions: 6, replication: 3, deletion: allowed, config: {min.insync.replicas: 2}}",
            "carts: {owner: a, partitions: 6, replication: 3, deletion: allowed, config: {min.insync.replicas: 3}}",
        ),
    )
    result = repository.review()
    assert result.exit_code == 1
    assert first_line(result.stdout).startswith("❌ 1 error")
    assert repository.told()["verdict"]["result"] == "failed"


@pytest.mark.parametrize(
    ("fail_on", "code", "line"),
    [
        ((), 0, "⚠️ 1 destructive change, 1 warning; --fail-on lets it pass"),
        (("--fail-on", "destructive"), 1, "❌ 1 destructive change; also 1 warning"),
        (("--fail-on", "breaking"), 1, "❌ 1 destructive change; also 1 warning"),
        (("--fail-on", "warning"), 1, "❌ 1 warning; also 1 destructive change"),
        (("--fail-on", "warning,needs-care"), 1, "❌ 1 warning, 1 destructive change"),
        (("--fail-on", "warning", "--fail-on", "needs-care"), 1, "❌ 1 warning, 1 destructive change"),
    ],
)
def test_severities_and_risks_fail(repository, fail_on, code, line):
    repository.edit("t.yaml", ("retention: 30d", "retention: 10d"))
    result = repository.review(*fail_on)
    assert (result.exit_code, first_line(result.stdout)) == (code, line)
    comment = repository.review("--format", "markdown", *fail_on)
    assert (comment.exit_code, comment.stdout.splitlines()[1]) == (code, f"### {line}")
    told = repository.told(*fail_on)
    assert (told["verdict"]["text"], told["verdict"]["result"]) == (line, "failed" if code else "passed")

    assert run("diff", "main:topology", "topology", *fail_on).exit_code == code


def test_an_unknown_word_is_refused(repository):
    result = repository.review("--fail-on", "destructve")
    assert (result.exit_code, "did you mean `destructive`?" in result.stderr) == (2, True)


def test_every_format_of_findings_puts_changes_on_their_lines(repository):
    repository.edit("t.yaml", ("retention: 30d", "retention: 10d"), ("  carts: {owner: a", "  carts: {owner: b"))
    outputs = "github,sarif=o.sarif,gitlab=o.json,junit=o.xml,markdown=o.md"
    result = repository.review("--format", outputs, "--fail-on", "destructive")
    assert result.exit_code == 1
    (failing,) = [line for line in result.stdout.splitlines() if line.startswith("::error")]
    assert "file=topology/t.yaml,line=3" in failing
    assert "change-destructive" in failing
    (notice,) = [line for line in result.stdout.splitlines() if line.startswith("::notice")]
    assert "line=4" in notice
    results = json.loads((repository.root / "o.sarif").read_text())["runs"][0]["results"]
    assert {each["ruleId"] for each in results} == {"KT805", "change-destructive", "change-needs-care"}
    assert {each["check_name"] for each in json.loads((repository.root / "o.json").read_text())} >= {
        "change-destructive"
    }
    suite = ET.parse(repository.root / "o.xml").getroot()  # noqa: S314 - our own file
    assert suite.get("failures") == "1"
    assert (repository.root / "o.md").read_text().startswith("<!-- kafka-topology:review -->")


def test_a_file_for_each_format_and_output_cannot_both_be_given(repository):
    result = repository.review("--format", "markdown=o.md", "--output", "x.md")
    assert (result.exit_code, "--output names a file" in result.stderr) == (2, True)


@pytest.mark.parametrize("fail_on", ["error", "warning", "advice", "needs-care", "advice,destructive", "destructive"])
def test_junit_fails_exactly_what_fails_the_gate(repository, fail_on):
    repository.edit("t.yaml", ("deletion: allowed, config: {min.insync.replicas: 2}", "deletion: force, owner: b"))
    repository.edit("t.yaml", ("carts: {owner: a, ", "carts: {"), ("retention: 30d", "retention: 20d"))
    result = repository.review("--format", "junit", "--fail-on", fail_on)
    told = json.loads(repository.review("--format", "json", "--fail-on", fail_on).stdout)
    failed = [
        case.get("classname", "")
        for case in ET.fromstring(result.stdout).iter("testcase")  # noqa: S314 - our own output
        if list(case.iter("failure"))
    ]
    assert (result.exit_code == 1) == bool(failed)
    rules = {each["rule"] for each in told["findings"] if each["new"] and each["severity"] in SEVERITIES[fail_on]}
    risks = [name for name in failed if name.startswith("change-")]
    assert set(failed) - set(risks) == rules
    assert bool(risks) == (fail_on not in ("error", "warning", "advice"))


SEVERITIES = {
    "error": ("error",),
    "warning": ("error", "warning"),
    "advice": ("error", "warning", "advice"),
    "needs-care": ("error",),
    "advice,destructive": ("error", "warning", "advice"),
    "destructive": ("error",),
}


DISKS = """\
version: 1
cluster: {kafka: "4.1", brokers: 3, disk: 100GB}
topics:
  orders: {owner: a, partitions: 6, replication: 3, retention: 7d, throughput: {average: 150KB/s}}
consumerGroups:
  g: {topics: [orders], start: earliest, maxOutage: 9d}
"""


@pytest.mark.parametrize(
    ("edit", "rule", "is_new"),
    [
        (("150KB/s", "140KB/s"), "KT321", False),
        (("150KB/s", "160KB/s"), "KT321", True),
        (("retention: 7d, throughput: {average: 150KB/s}", "retention: 8d"), "KT306", False),
        (("retention: 7d", "retention: 6d"), "KT306", True),
        (("maxOutage: 9d", "maxOutage: 8d"), "KT306", False),
        (("g: {", "h: {"), "KT306", True),
    ],
)
def test_a_finding_that_gets_better_is_not_new(tmp_path, monkeypatch, edit, rule, is_new):
    made = repository_of(tmp_path / "r", {"t.yaml": DISKS})
    monkeypatch.chdir(made.root)
    made.edit("t.yaml", edit)
    (found,) = [each for each in made.told("--all")["findings"] if each["rule"] == rule]
    assert found["new"] is is_new


def test_environments_that_were_not_reviewed_are_named(tmp_path, monkeypatch):
    files = "version: 1\nenvironments:\n  dev: {}\n  prod: {topics: {a: {config: {retention.ms: %s}}}}\n"
    files += "topics:\n  a: {partitions: 6, replication: 3, config: {min.insync.replicas: 2}}\n"
    repository = repository_of(tmp_path / "repository", {"t.yaml": files % "7d"})
    monkeypatch.chdir(repository.root)
    repository.edit("t.yaml", ("7d", "1h"))
    text = repository.review().stdout
    assert first_line(text) == "✅ no risk; environments dev and prod not reviewed"
    assert "no changes without an environment since" in text
    assert "the change may be different there; add --env dev --env prod" in text
    assert first_line(repository.review("--env", "dev").stdout) == "✅ no risk; environment prod not reviewed"
    assert first_line(repository.run("diff", "HEAD:topology", "topology", "--env", "dev").stdout).startswith(
        "✅ no risk;"
    )
    told = repository.told("--env", "prod", "--env", "dev")
    assert (told["summary"]["risk"], told["notes"]) == ("destructive", [])
