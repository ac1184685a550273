"""A check that somebody else wrote: planned, run by Spark, and in every report, without an edit of ours."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING
from xml.etree import ElementTree as ET

import jsonschema
import pytest
from check_packs import installed_pack
from click.testing import CliRunner

from kafka_topology.cli.checking.outputs import rendered
from kafka_topology.cli.main import main
from kafka_topology.spark_checks import Options, check
from kafka_topology.spark_checks.engines.columns.hashes import BuiltInHashes
from kafka_topology.spark_checks.engines.pure import PureEngine
from kafka_topology.spark_checks.reading.reader import FrameReader
from kafka_topology.spark_checks.registry import installed_checks
from kafka_topology.spark_checks.results import report as report_module
from kafka_topology.spark_checks.results.report import CheckResult, Report
from kafka_topology.topology import Topology, load

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

COLUMNS = "key binary, value binary, partition int, offset long, timestamp timestamp, timestampType int"
NOW = datetime(2026, 3, 1, tzinfo=UTC)
RECORDS = [
    (b"a", b"{}", 0, 0, NOW, 0),
    (b"a", None, 0, 1, NOW, 0),
    (b"b", b"{}", 1, 0, NOW, 0),
    (b"b", None, 1, 1, NOW, 0),
]
TOPOLOGY = """\
version: 1
topics:
  shop.orders:
    partitions: 2
    replication: 1
    config: {retention.ms: 1d}
    key:
      {type: string, nulls: tombstones}
  shop.gone: {partitions: 1, replication: 1, key: {type: string}}
"""


@pytest.fixture
def path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    pack = tmp_path / "site"
    pack.mkdir()
    file = tmp_path / "topology.yaml"
    file.write_text(TOPOLOGY)
    monkeypatch.chdir(tmp_path)
    with installed_pack(pack):
        yield file


def checked(spark: SparkSession, topology: Topology, *, pure: bool) -> Report:
    reader = FrameReader({"shop.orders": spark.createDataFrame(RECORDS, COLUMNS).coalesce(1)}, {"shop.orders": 2})
    engine = PureEngine(BuiltInHashes()) if pure else None
    options = Options(now_ms=int(NOW.timestamp() * 1000), show_keys=True)
    return check(spark, topology, reader=reader, engine=engine, options=options)


@pytest.mark.parametrize(
    ("broken", "reason"),
    [
        ("exit", "check acme/traced of acme_checks fails in `tests`: SystemExit: 0"),
        ("verdict", "check acme/traced of acme_checks fails in `verdict`: TypeError: it returns 42"),
    ],
)
def test_a_failing_check_of_others_leaves_the_other_results(
    spark: SparkSession, path: Path, monkeypatch: pytest.MonkeyPatch, broken: str, reason: str
) -> None:
    topology = load(path).topology
    assert topology is not None
    fine = checked(spark, topology, pure=True).topics[0]
    (traced,) = (each for each in installed_checks() if each.id == "acme/traced")
    monkeypatch.setattr(type(traced), "broken", broken)
    report = checked(spark, topology, pure=True)
    found = report.topics[0]
    assert found.results[:-1] == fine.results[:-1]
    assert (found.results[-1].outcome, (found.results[-1].reason or "")[: len(reason)]) == ("could-not-check", reason)
    assert report.violations(spark).count() == report.violation_count > 0


def test_a_check_of_others_works_everywhere(spark: SparkSession, path: Path, tmp_path: Path) -> None:
    topology = load(path).topology
    assert topology is not None
    report = checked(spark, topology, pure=True)
    assert checked(spark, topology, pure=False) == report
    orders, gone = report.topics
    ids = [result.check for result in orders.results]
    assert ids[ids.index("nulls") + 1] == "acme/deletions"
    # One of their checks reads headers, which these records are without: that costs this check and no other.
    assert orders.results[-1] == CheckResult(
        "acme/traced", "not-checked", reason="the records were given without a column `headers`", unable=True
    )
    found = orders.results[ids.index("acme/deletions")]
    assert (found.status, found.violations, found.faults) == ("exact", 2, {"deletion": 2})
    assert (found.metrics, found.notes) == ({"deletions": 2}, ("retention.ms is 86400000",))
    assert [(each.position.partition, each.position.offset, each.key) for each in found.examples] == [
        (0, 1, "a"),
        (1, 1, "b"),
    ]
    assert (found.cause, found.fix) == ("an archive job", "send a status for 2 of 4 records")
    assert "acme/deletions" in [result.check for result in gone.results]

    def shown(name: str) -> str:
        return rendered(name, report, topology, path, None)

    in_json = json.loads(shown("json"))
    jsonschema.validate(in_json, json.loads(Path(report_module.__file__).with_name("report.schema.json").read_text()))
    assert "acme/deletions 2 violations 2 deletion; retention.ms is 86400000" in " ".join(shown("text").split())
    assert "| acme/deletions | 2 | 2 deletion; first at partition 0, offset 1; retention.ms is 86400000" in shown(
        "markdown"
    )
    case = ET.fromstring(shown("junit")).find(".//testcase[@name='acme/deletions']")  # noqa: S314 - our own
    assert case is not None
    assert (case.get("line"), case.find("failure") is not None) == ("8", True)
    run = json.loads(shown("sarif"))["runs"][0]
    (result,) = [each for each in run["results"] if each["ruleId"] == "acme/deletions"]
    rule = run["tool"]["driver"]["rules"][result["ruleIndex"]]
    assert (rule["id"], rule["shortDescription"]["text"]) == ("acme/deletions", "No record deletes a key.")
    assert "Send a status instead of a tombstone." in rule["help"]["text"]
    assert (result["level"], rule["defaultConfiguration"]["level"]) == ("warning", "warning")
    assert result["locations"][0]["physicalLocation"]["region"]["startLine"] == 8
    assert "2 records break the declaration (2 deletion)" in result["message"]["text"]
    assert "::warning file=topology.yaml,line=8" in shown("github")
    assert "acme/deletions" in [each["check_name"] for each in json.loads(shown("gitlab"))]

    (tmp_path / "checks.json").write_text(json.dumps(in_json))
    drawn = CliRunner().invoke(main, ["report", str(path), "--check", "checks.json", "--output", "page.html"])
    assert drawn.exit_code == 0, drawn.output
    page = (tmp_path / "page.html").read_text()
    assert "acme/deletions: evidence" in page
    assert "No record deletes a key. The archive cannot delete." in page
    assert "send a status for 2 of 4 records" in page
