"""What checks of live records found, in every format."""

from __future__ import annotations

import json
import textwrap
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from xml.etree import ElementTree as ET

import jsonschema
import pytest

from kafka_topology.cli.checking.outputs import rendered
from kafka_topology.cluster.live.transactions import OpenTransaction
from kafka_topology.report.checks.findings import declared_at
from kafka_topology.spark_checks.reading.hidden import Hidden
from kafka_topology.spark_checks.reading.ranges import Range
from kafka_topology.spark_checks.registry import descriptions
from kafka_topology.spark_checks.results import report
from kafka_topology.spark_checks.results.report import (
    CheckResult,
    Estimate,
    Example,
    PartitionCount,
    Position,
    Report,
    ScannedRange,
    TopicReport,
)
from kafka_topology.spark_checks.results.written import Written
from kafka_topology.topology import Topology, load

SARIF = json.loads((Path(__file__).parents[1] / "sarif-2.1.0.schema.json").read_text())
SCHEMA = Path(report.__file__).with_name("report.schema.json")
TOPOLOGY = """\
    version: 1
    topics:
      shop.orders:
        partitions: 3
        replication: 1
        key:
          type: uuid
          field: order_id
      shop.gone: {partitions: 1, replication: 1}
    """
HOSTILE = "why | <script>\x01"
FOUND = CheckResult(
    "key-type",
    "bounded",
    violations=2,
    unjudged=1,
    first=Position(1, 7),
    last=Position(1, 9),
    faults={"not uuid": 2},
    partitions=(PartitionCount(1, 2, 7, 9),),
    examples=(Example(Position(1, 7), "not uuid", "xxx"),),
    cause=HOSTILE,
    fix="fix the producer",
    reason="a sample",
    estimate=Estimate(4, 2, 90, 0.95),
)
GONE = TopicReport("shop.gone", 0, (), (CheckResult("nulls", "not-checked", reason="gone"),), unreadable="gone")
REPORT = Report(
    (
        TopicReport(
            "shop.orders",
            3,
            (ScannedRange(Range(1, 5, 10), 3),),
            (CheckResult("placement", "exact", violations=0), FOUND, CheckResult("order", "not-checked", reason="no")),
            partial="a sample",
        ),
        GONE,
    )
)


@pytest.fixture(scope="module")
def topology(tmp_path_factory: pytest.TempPathFactory) -> Topology:
    path = tmp_path_factory.mktemp("formats") / "topology.yaml"
    path.write_text(textwrap.dedent(TOPOLOGY))
    loaded = load(path).topology
    assert loaded is not None
    return loaded


def shown(name: str, topology: Topology, report: Report = REPORT) -> str:
    return rendered(name, report, topology, Path("topology.yaml"), None)


def test_findings_point_at_what_is_declared(topology: Topology) -> None:
    topic = topology.topics["shop.orders"]
    lines = {check: declared_at(topic, check).line for check in descriptions()}
    assert (lines["key-type"], lines["key-field"], lines["skew"]) == (7, 8, 4)
    assert all(3 <= line <= 8 for line in lines.values())


def test_junit(topology: Topology) -> None:
    root = ET.fromstring(shown("junit", topology))  # noqa: S314 - our own
    assert {name: root.get(name) for name in ("tests", "failures", "errors", "skipped")} == {
        "tests": "5",
        "failures": "1",
        "errors": "1",
        "skipped": "2",
    }
    passed, failed, skipped = root[0]
    assert (root[0].get("name"), passed.get("name"), len(passed)) == ("shop.orders", "placement", 0)
    failure = failed.find("failure")
    assert failure is not None
    assert "2 not uuid" in str(failure.get("message"))
    assert "partition 1 offset 7: not uuid" in str(failure.text)
    assert failed.get("line") == "7"
    assert skipped.find("skipped") is not None
    assert root[1].find("testcase/error") is not None


def test_markdown(topology: Topology) -> None:
    text = shown("markdown", topology)
    assert text.startswith("### kafka-topology check: 2 violations, 1 of 2 topics could not be checked\n")
    assert "| placement | 0 | fine |" in text
    assert "| order | not checked | no |" in text
    assert "between 2 and 90 in the whole topic with 95% confidence" in text
    assert "<script>" not in text
    assert "**shop.gone** could not be checked: gone" in text


def test_sarif(topology: Topology) -> None:
    document = json.loads(shown("sarif", topology))
    jsonschema.validate(document, SARIF)
    results = document["runs"][0]["results"]
    assert [(each["ruleId"], each["level"]) for each in results] == [
        ("key-type", "error"),
        ("could-not-check", "error"),
    ]
    assert results[0]["locations"][0]["physicalLocation"]["region"]["startLine"] == 7


@pytest.mark.parametrize("name", ["github", "gitlab"])
def test_code_hosts(topology: Topology, name: str) -> None:
    text = shown(name, topology)
    assert "key-type" in text
    assert "could not be checked" in text


def test_text_says_what_is_bounded_once_and_fits(topology: Topology) -> None:
    text = shown("text", topology)
    assert text.count("a sample") == 1
    assert "bounded; in the whole topic about 4, between 2 and 90" in " ".join(text.split())
    assert max(map(len, text.replace(HOSTILE, "").splitlines())) <= 80


def test_an_interrupted_check_says_so_everywhere(topology: Topology) -> None:
    part = Report(REPORT.topics[:1], complete=False)
    assert "Interrupted." in shown("text", topology, part)
    assert "was interrupted" in shown("markdown", topology, part)
    assert json.loads(shown("json", topology, part))["complete"] is False


def test_people_read_where_the_rows_are(topology: Topology) -> None:
    written = Written("/data/rows", "parquet", "7f", 1_042)
    said = "Violations as data: 1,042 rows in /data/rows (parquet), run id 7f."
    lost = "The violations in /data/rows are not complete: 2 rows of 3."
    for name in ("text", "markdown"):
        all_ = " ".join(shown(name, topology, replace(REPORT, written=written)).replace("\\", "").split())
        assert said in all_
        part = shown(name, topology, replace(REPORT, written=replace(written, problem="2 rows of 3")))
        assert lost in " ".join(part.replace("\\", "").split())


def hidden_report(age: timedelta) -> Report:
    now = datetime(2026, 3, 1, tzinfo=UTC)
    transaction = OpenTransaction(4001, 10, now, "shop-checkout", now - age, timedelta(minutes=1))
    hidden = Hidden(Range(0, 10, 33), now, (transaction,))
    topic = TopicReport(
        "shop.orders",
        10,
        (ScannedRange(Range(0, 0, 10), 10),),
        (CheckResult("nulls", "bounded", violations=0, reason="open transactions hide 23 offsets"),),
        partial="open transactions hide 23 offsets",
        hidden=(hidden,),
    )
    return Report((topic,))


FORMATS = ["text", "json", "markdown", "junit", "sarif", "github", "gitlab"]


@pytest.mark.parametrize("name", FORMATS)
def test_an_open_transaction_is_in_every_format(topology: Topology, name: str) -> None:
    text = " ".join(shown(name, topology, hidden_report(timedelta(seconds=30))).split())
    assert "shop-checkout" in text
    assert "4001" in text
    assert "No violations" not in text
    assert "no violations in" not in text
    assert "hanging-transaction" not in text


@pytest.mark.parametrize("name", FORMATS)
def test_a_hanging_transaction_is_a_finding_in_every_format(topology: Topology, name: str) -> None:
    report = hidden_report(timedelta(hours=3))
    text = " ".join(shown(name, topology, report).split())
    said = {"json": '"hanging": true', "text": "1 hanging transaction found.", "markdown": "1 hanging transaction"}
    assert said.get(name, "hang") in text
    if name != "json":
        assert "--start-offset 10" in text.replace("\\", "")
    jsonschema.validate(report.to_json(), json.loads(SCHEMA.read_text()))


def test_junit_counts_what_is_hidden(topology: Topology) -> None:
    for age, counts in ((timedelta(0), ("2", "0", "1")), (timedelta(days=1), ("2", "1", "0"))):
        root = ET.fromstring(shown("junit", topology, hidden_report(age)))  # noqa: S314 - our own
        assert tuple(root.get(name) for name in ("tests", "failures", "errors")) == counts


def test_text_says_who_and_since_when(topology: Topology) -> None:
    text = " ".join(shown("text", topology, hidden_report(timedelta(seconds=30))).split())
    assert (
        "gap: offsets 10 to 32 of partition 0 are behind an open transaction: producer 4001 with transactional id"
        " shop-checkout, open for 30 seconds, timeout 60 seconds"
    ) in text
    assert "Open transactions hide the end of 1 topic." in text


def test_a_topic_without_records_is_never_fine(topology: Topology) -> None:
    reason = "the topic holds no records"
    results = tuple(CheckResult(check, "not-checked", reason=reason) for check in ("placement", "nulls"))
    ranges = (ScannedRange(Range(0, 0, 0), 0),)
    empty = TopicReport("shop.orders", 0, ranges, results, empty=reason)
    text = shown("text", topology, Report((empty,)))
    assert [line.rstrip() for line in text.splitlines()] == [
        "shop.orders  0 records in 1 partition",
        "  nothing was checked: the topic holds no records",
        "",
        "No record was read of 1 topic.",
    ]
    markdown = shown("markdown", topology, Report((empty,)))
    assert markdown.startswith("### kafka-topology check: no record was read of 1 topic\n")
    assert "- nothing was checked: the topic holds no records" in markdown
    assert "fine" not in markdown
    root = ET.fromstring(shown("junit", topology, Report((empty,))))  # noqa: S314 - our own
    assert (root.get("tests"), root.get("skipped")) == ("2", "2")
    assert {each.get("message") for each in root.iter("skipped")} == {reason}
    assert json.loads(shown("json", topology, Report((empty,))))["topics"][0]["empty"] == reason
    other = replace(empty, topic="shop.gone")
    full = TopicReport("shop.orders", 5, ranges, (CheckResult("nulls", "exact", violations=0),))
    both = shown("text", topology, Report((full, other)))
    assert both.endswith("No violations in 1 topic. No record was read of 1 topic.\n")
    assert "no violations in 1 topic, no record was read of 1 topic" in shown(
        "markdown", topology, Report((full, other))
    )


def test_a_transactional_id_cannot_write_to_the_terminal(topology: Topology) -> None:
    report = hidden_report(timedelta(0))
    (topic,) = report.topics
    transaction = replace(topic.hidden[0].transactions[0], transactional_id="a\x1b[31m\nb")
    hostile = replace(topic, hidden=(replace(topic.hidden[0], transactions=(transaction,)),))
    for name in ("text", "markdown", "github", "gitlab", "sarif"):
        assert "\x1b" not in shown(name, topology, Report((hostile,)))


FORMATS = ("text", "json", "markdown", "junit", "sarif", "github", "gitlab")


@pytest.mark.parametrize("name", FORMATS)
def test_a_check_that_cannot_be_made_never_passes(topology: Topology, name: str) -> None:
    """A schema that cannot be used is not a check without a subject. Brackets are brackets, not styles."""
    unable = CheckResult("key-type", "not-checked", reason="Spark cannot use pattern [/a]+(?P<x>b)", unable=True)
    found = Report((TopicReport("shop.orders", 5, (), (unable,)),))
    assert found.unchecked
    assert unable.outcome == "could-not-check"
    text = rendered(name, found, topology, Path("topology.yaml"), None)
    said = json.dumps(text) if name == "text" else text
    assert "could-not-check" in said or "could not" in said
    assert "[/a]+(?P<x>b)" in text or "P&lt;x&gt;b" in text or "P&#60;x&#62;b" in text
    assert "o violations in" not in text


@pytest.mark.parametrize("name", FORMATS)
def test_records_that_were_deleted_between_two_checks_are_told(topology: Topology, name: str) -> None:
    bounded = CheckResult(
        "key-type", "bounded", violations=0, judged=5, reason="10 offsets deleted before they were read"
    )
    found = Report((TopicReport("shop.orders", 5, (), (bounded,), missed=10),))
    assert found.unchecked
    text = rendered(name, found, topology, Path("topology.yaml"), None)
    assert "deleted before" in " ".join(text.split()) or json.loads(text)["topics"][0]["missed"] == 10


FINE = Report((TopicReport("shop.orders", 5, (), (CheckResult("key-type", "exact", violations=0, judged=5),)),))
UNABLE = CheckResult("key-type", "not-checked", reason="a broken schema", unable=True)


@pytest.mark.parametrize(
    "found",
    [
        replace(FINE, written=Written("/data/rows", "parquet", "7f", 1, problem="2 rows of 3")),
        replace(FINE, complete=False),
        Report((GONE,)),
        Report((replace(FINE.topics[0], missed=10),)),
        Report((replace(FINE.topics[0], results=(UNABLE,)),)),
    ],
    ids=["rows", "interrupted", "unreadable", "missed", "unable"],
)
def test_programs_see_that_something_was_not_checked(topology: Topology, found: Report) -> None:
    """As the exit code 3 says."""
    assert found.unchecked
    (run,) = json.loads(shown("sarif", topology, found))["runs"]
    (invocation,) = run["invocations"]
    assert invocation["executionSuccessful"] is False
    assert "could not check" in invocation["toolExecutionNotifications"][0]["message"]["text"]
    root = ET.fromstring(shown("junit", topology, found))  # noqa: S314 - our own
    assert int(root.get("errors") or 0) == len(list(root.iter("error"))) > 0
    assert int(root.get("tests") or 0) == len(list(root.iter("testcase")))
    assert "::error " in shown("github", topology, found)
    assert "could-not-check" in {each["check_name"] for each in json.loads(shown("gitlab", topology, found))}


def test_programs_see_that_no_record_was_read(topology: Topology) -> None:
    """Which is no error: a new topic is empty."""
    reason = "the topic holds no records"
    result = CheckResult("key-type", "not-checked", reason=reason)
    found = Report((TopicReport("shop.orders", 0, (), (result,), empty=reason),))
    assert not found.unchecked
    (run,) = json.loads(shown("sarif", topology, found))["runs"]
    assert run["invocations"][0]["executionSuccessful"] is True
    assert [(each["ruleId"], each["level"]) for each in run["results"]] == [("no-records", "note")]
    assert shown("github", topology, found).startswith("::notice ")
    (issue,) = json.loads(shown("gitlab", topology, found))
    assert (issue["check_name"], issue["severity"]) == ("no-records", "info")
    assert reason in issue["description"]


def test_none_seen_is_not_none(topology: Topology) -> None:
    exact = CheckResult("key-type", "exact", violations=0, judged=5)
    bounded = replace(exact, check="order", status="bounded", reason="only a part was read")
    seen = Report((TopicReport("shop.orders", 5, (), (exact, bounded)),))
    said = "no violations seen in 1 topic, and 1 of 2 results is bounded"
    for name in ("text", "markdown"):
        assert said in " ".join(rendered(name, seen, topology, Path("topology.yaml"), None).lower().split())
    all_of_it = Report((TopicReport("shop.orders", 5, (), (exact,)),))
    assert "No violations in 1 topic." in rendered("text", all_of_it, topology, Path("topology.yaml"), None)
