"""The shape of every format, on one run that has all there is to show."""

from __future__ import annotations

import json
import re
from pathlib import Path
from xml.etree import ElementTree as ET

import jsonschema
import pytest

from kafka_topology import report
from kafka_topology.audit.rules import audit_rules
from kafka_topology.cli.reporting import report as report_run
from kafka_topology.report import links
from kafka_topology.report.findings.formats import BadFormat, Output, finding_formats, parse_outputs, render
from kafka_topology.report.run import Run, StaleEntry, relative
from kafka_topology.topology import Edit, Finding, Location, Related, Severity
from kafka_topology.validators import Suppressed, Suppression, builtin_rules

HERE = Path(__file__).parent
SARIF = json.loads((HERE.parent / "sarif-2.1.0.schema.json").read_text())
JSON = json.loads((Path(report.__file__).parent / "findings/findings.schema.json").read_text())


def at(line: int, column: int = 5, file: str = "/home/dev/shop/a b.yaml") -> Location:
    return Location(file, line, column, line, column + 3)


HOSTILE = 'a | b `c` <script> %0A ::error:: "\x01\n, ü'
ERROR = Finding(
    "KT101",
    Severity.ERROR,
    "shop.orders: 3 of 3; expected 2",
    at(10),
    "shop.orders",
    "set 2",
    (Related(at(3), "shop.orders inherits it"),),
    (Edit(at(10), "2"),),
    kind="topic",
)
RUN = Run(
    subject="/home/dev/shop/topology",
    folder=Path("/home/dev/shop"),
    environment="prod",
    findings=(
        ERROR,
        Finding("KT101", Severity.ERROR, "shop.orders: 3 of 3; expected 2", at(12), "shop.orders", kind="topic"),
        Finding("KT013", Severity.WARNING, HOSTILE, at(11), HOSTILE, HOSTILE, kind="group"),
        Finding("KT209", Severity.ADVICE, "seven", Location("/elsewhere/x.yaml", 1, 1, 3, 2), "x", "six"),
    ),
    suppressed=(
        Suppressed(
            Finding("KT013", Severity.WARNING, "no owner", at(20), "b", "add"), Suppression("KT013", "why not", at(19))
        ),
    ),
    baselined=(Finding("KT105", Severity.WARNING, "two", at(21), "c", "three"),),
    stale=(StaleEntry("KT103", "topic gone", "one replica"),),
    rules=builtin_rules(),
    ran=frozenset(rule.id for rule in builtin_rules()),
    quote=lambda _: "      min.insync.replicas: 3",
)
EMPTY = Run(subject="t.yaml", folder=Path("/work"), findings=())


@pytest.mark.parametrize("run", [RUN, EMPTY], ids=["full", "empty"])
def test_json_follows_its_schema(run: Run) -> None:
    jsonschema.Draft202012Validator(JSON).validate(json.loads(render("json", run)))


def test_json_holds_everything() -> None:
    document = json.loads(render("json", RUN))
    assert document["summary"] == {"error": 2, "warning": 1, "advice": 1, "suppressed": 1, "baselined": 1}
    assert document["subject"] == "topology"
    first = document["findings"][0]
    assert first["location"] == {"file": "a b.yaml", "line": 10, "column": 5, "endLine": 10, "endColumn": 8}
    assert (first["resource"], first["resourceKind"]) == ("shop.orders", "topic")
    assert first["related"][0]["location"]["line"] == 3
    assert first["edits"] == [{"location": first["location"], "text": "2"}]
    assert first["docs"].endswith("docs/rules/KT101.md")
    assert document["suppressed"][0]["reason"] == "why not"
    assert document["staleBaseline"][0]["rule"] == "KT103"


@pytest.mark.parametrize("run", [RUN, EMPTY], ids=["full", "empty"])
def test_sarif_follows_the_official_schema(run: Run) -> None:
    jsonschema.Draft4Validator(SARIF, format_checker=jsonschema.FormatChecker()).validate(
        json.loads(render("sarif", run))
    )


def test_sarif_has_rules_fixes_related_places_suppressions_and_fingerprints() -> None:
    [run] = json.loads(render("sarif", RUN))["runs"]
    rules = run["tool"]["driver"]["rules"]
    results = run["results"]
    first = results[0]
    assert rules[first["ruleIndex"]]["id"] == first["ruleId"] == "KT101"
    rule = rules[first["ruleIndex"]]
    assert rule["name"] == "MinIsrNotBelowReplication"
    assert rule["help"]["markdown"].startswith("# KT101")
    assert rule["defaultConfiguration"] == {"level": "error", "enabled": True}
    [place] = first["locations"]
    assert place["physicalLocation"]["artifactLocation"] == {"uri": "a%20b.yaml", "uriBaseId": "%SRCROOT%"}
    assert place["physicalLocation"]["region"] == {"startLine": 10, "startColumn": 5, "endLine": 10, "endColumn": 8}
    assert place["logicalLocations"][0]["fullyQualifiedName"] == "topic shop.orders"
    assert first["relatedLocations"][0]["message"]["text"] == "shop.orders inherits it"
    [change] = first["fixes"][0]["artifactChanges"]
    assert change["replacements"][0]["insertedContent"] == {"text": "2"}
    assert [result["level"] for result in results] == ["error", "error", "warning", "note", "warning", "warning"]
    kinds = [[suppression["kind"] for suppression in result["suppressions"]] for result in results]
    assert kinds == [[], [], [], [], ["inSource"], ["external"]]
    names = [result["partialFingerprints"]["kafkaTopologyFinding/v1"] for result in results]
    assert len(set(names)) == len(names)
    assert results[3]["locations"][0]["physicalLocation"]["artifactLocation"] == {"uri": "file:///elsewhere/x.yaml"}


def test_sarif_links_to_the_pages_when_the_docs_have_an_address(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(links, "docs_base", lambda: "https://docs.example.org")
    [run] = json.loads(render("sarif", RUN))["runs"]
    uris = {rule["id"]: rule["helpUri"] for rule in run["tool"]["driver"]["rules"]}
    assert uris["KT101"] == "https://docs.example.org/docs/rules/KT101.md"


def test_junit_counts_and_says_why() -> None:
    root = ET.fromstring(render("junit", RUN))  # noqa: S314 - our own text
    cases = root.findall(".//testcase")
    assert int(root.get("tests", "")) == len(cases)
    assert (root.get("failures"), root.get("skipped")) == ("2", "2")
    failures = root.findall(".//failure")
    assert failures[0].get("message") == ERROR.message
    assert "fix: set 2" in (failures[0].text or "")
    assert cases[0].get("name") == "topic shop.orders (a b.yaml:10:5)"
    assert {skipped.get("message") for skipped in root.findall(".//skipped")} == {
        "why not",
        "listed in the baseline file",
    }
    passed = {case.get("classname") for case in cases if len(case) == 0}
    assert "KT103" in passed
    assert "KT101" not in passed


def test_github_escapes_what_would_end_a_command() -> None:
    lines = render("github", RUN).splitlines()
    assert len(lines) == len(RUN.findings)
    assert lines[0] == (
        "::error file=a b.yaml,line=10,endLine=10,col=5,endColumn=8,title=KT101 min-isr-not-below-replication"
        "::shop.orders: 3 of 3; expected 2%0Afix: set 2%0Aa b.yaml:3: shop.orders inherits it"
    )
    assert lines[2].startswith("::warning ")
    assert "%250A ::error::" in lines[2]
    assert lines[3].startswith("::notice file=/elsewhere/x.yaml,line=1,endLine=3,col=1,title=")


def test_gitlab_has_what_the_merge_request_shows() -> None:
    issues = json.loads(render("gitlab", RUN))
    assert [issue["severity"] for issue in issues] == ["critical", "critical", "minor", "info"]
    assert issues[0]["location"] == {"path": "a b.yaml", "lines": {"begin": 10, "end": 10}}
    assert issues[0]["check_name"] == "KT101"
    assert len({issue["fingerprint"] for issue in issues}) == len(issues)


def test_markdown_is_a_table_that_nothing_can_break() -> None:
    lines = render("markdown", RUN).splitlines()
    assert lines[0] == "### kafka-topology: 2 errors, 1 warning, 1 advice in prod"
    rows = [line for line in lines if line.startswith("| ")][1:]
    assert len(rows) == len(RUN.findings)
    assert {len(re.split(r"(?<!\\)\|", row)) for row in rows} == {6}
    assert "<script>" not in "".join(lines)
    assert "1 suppressed." in lines


def test_markdown_calls_nobody_and_links_nowhere() -> None:
    """Names in a message come from files that anybody may have written."""
    finding = Finding("KT101", Severity.ERROR, "@shop/team see #12, www.example.org", at(1), "orders", "ask @boss")
    shown = render("markdown", Run(subject="t.yaml", folder=Path("/work"), findings=(finding,)))
    for told in ("@shop", "@boss", "#12", "www.example"):
        assert told not in shown
    assert "shop/team see" in shown


def test_text_quotes_the_line_with_a_caret_and_never_a_colour() -> None:
    lines = render("text", RUN).splitlines()
    assert lines[:6] == [
        "a b.yaml:10:5: error KT101",
        "  shop.orders: 3 of 3; expected 2",
        "    10 |       min.insync.replicas: 3",
        "       |     ^^^",
        "  a b.yaml:3:5: shop.orders inherits it",
        "  fix: set 2",
    ]
    assert "\x1b" not in "\n".join(lines)
    assert "topology: 2 errors, 1 warning, 1 advice" in lines
    assert "not counted: 1 suppressed, 1 in the baseline" in lines
    assert "no longer occurs, remove it from the baseline: KT103 topic gone" in lines
    assert lines[-1] == "learn more about a rule: kafka-topology explain KT101"
    assert not [line for line in lines if line != line.rstrip()]


@pytest.mark.parametrize("name", finding_formats().by_name)
def test_every_format_ends_with_one_new_line_and_copes_with_nothing(name: str) -> None:
    text = render(name, EMPTY)
    assert text == "" if name == "github" else text.endswith("\n")
    assert not text.endswith("\n\n")


def test_several_outputs_in_one_option(tmp_path: Path) -> None:
    file = tmp_path / "out.sarif"
    assert parse_outputs((f"sarif={file},text",)) == (Output("sarif", file), Output("text"))
    report_run(parse_outputs((f"sarif={file}",)), RUN)
    assert json.loads(file.read_text())["version"] == "2.1.0"
    assert [each.name for each in tmp_path.iterdir()] == ["out.sarif"]


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("sarf", "is not a format"),
        ("json,text", "only one format can go to stdout"),
        ("sarif=", "names no file"),
        ("sarif=/no/such/folder/x", "there is no folder /no/such/folder"),
        ("json=/", "/ is a folder"),
    ],
)
def test_wrong_outputs_are_refused_with_the_reason(text: str, reason: str) -> None:
    with pytest.raises(BadFormat, match=reason):
        parse_outputs((text,))


def test_paths_are_relative_to_the_working_directory() -> None:
    assert relative("/a/b/c.yaml", Path("/a")) == "b/c.yaml"
    assert relative("b/c.yaml", Path("/a")) == "b/c.yaml"
    assert relative("/x/c.yaml", Path("/a")) == "/x/c.yaml"


@pytest.mark.parametrize("name", finding_formats().by_name)
def test_a_secret_is_never_quoted_not_even_by_another_finding_on_its_line(name: str) -> None:
    line = "    config: {ssl.key.password: hunter22, acks: 0}"
    secret = Location("/home/dev/shop/a.yaml", 7, 32, 7, 40)
    beside = Location("/home/dev/shop/a.yaml", 7, 48, 7, 49)
    findings = (
        Finding("KT607", Severity.ERROR, "a secret stands here", secret),
        Finding("KT401", Severity.ERROR, "acks is 0", beside),
    )
    run = Run(subject="a.yaml", folder=Path("/home/dev/shop"), findings=findings, quote=lambda _: line)
    assert "hunter22" not in render(name, run)
    assert run.line(beside) == "    config: {ssl.key.password: ********, acks: 0}"


UNREAD = Run(
    subject="t.yaml",
    folder=Path("/work"),
    findings=(),
    command="audit",
    rules=audit_rules(),
    ran=frozenset(rule.id for rule in audit_rules()),
    could_not_check=("reading the users: denied | `x`",),
    live={"brokers": [], "groups": []},
)


@pytest.mark.parametrize("name", finding_formats().by_name)
def test_what_could_not_be_checked_is_in_every_format(name: str) -> None:
    assert re.search("could.?not.?check", render(name, UNREAD), re.IGNORECASE)
    assert "reading the users: denied" in render(name, UNREAD)
    assert "no findings\n" not in render(name, UNREAD)


def test_what_could_not_be_checked_follows_the_schemas() -> None:
    jsonschema.Draft202012Validator(JSON).validate(json.loads(render("json", UNREAD)))
    sarif = json.loads(render("sarif", UNREAD))
    jsonschema.Draft4Validator(SARIF, format_checker=jsonschema.FormatChecker()).validate(sarif)
    [run] = sarif["runs"]
    assert run["invocations"][0]["executionSuccessful"] is False
    assert run["automationDetails"]["id"] == "kafka-topology-audit/default/"


def test_where_something_could_not_be_checked_no_test_has_passed() -> None:
    suite = ET.fromstring(render("junit", UNREAD)).find("testsuite")  # noqa: S314 - our own output
    assert suite is not None
    assert (suite.get("tests"), suite.get("errors"), suite.get("failures")) == ("1", "1", "0")


def test_text_cannot_control_the_terminal() -> None:
    """A value in a file may hold escape sequences: they must not reach the terminal."""
    hostile = "\x1b[2J\x1b]0;owned\x07 \u202eabc"
    finding = Finding("KT301", Severity.ERROR, hostile, at(1, file=f"{hostile}.yaml"), hostile, hostile)
    shown = render("text", Run(subject=hostile, folder=Path("/work"), findings=(finding,), quote=lambda _: hostile))
    assert not [character for character in shown.replace("\n", "") if not character.isprintable()]
    assert "abc" in shown
