"""The JSON shape other tools rely on."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import jsonschema

from kafka_topology.spark_checks.reading.ranges import Range, Sampled, Stratum
from kafka_topology.spark_checks.registry import ID_OF_OTHERS, builtin_checks
from kafka_topology.spark_checks.results import report
from kafka_topology.spark_checks.results.report import (
    CheckResult,
    Estimate,
    Example,
    HotKeyCount,
    PartitionCount,
    Position,
    Report,
    ScannedRange,
    TopicReport,
)
from kafka_topology.spark_checks.results.written import Written

SCHEMA = json.loads(Path(report.__file__).with_name("report.schema.json").read_text())
FOUND = CheckResult(
    "placement",
    "exact",
    violations=2,
    unjudged=1,
    first=Position(3, 7),
    last=Position(3, 9),
    faults={"misplaced": 2},
    partitions=(PartitionCount(3, 2, 7, 9),),
    examples=(Example(Position(3, 7), "misplaced", "xxx", 5),),
    cause="why",
    fix="what to do",
    metrics={"debt": 0.5},
)


def test_json_shape() -> None:
    ranges = (ScannedRange(Range(3, 5, 10), 3, 40, deleted_to=7),)
    results = (FOUND, CheckResult("order", "not-checked", reason="not yet"))
    hot_keys = (HotKeyCount(3, "xxx", 150),)
    shape = Report((TopicReport("t", 3, ranges, results, hot_keys=hot_keys, notes=("read twice",)),)).to_json()
    jsonschema.validate(shape, SCHEMA)
    assert json.loads(json.dumps(shape)) == {
        "version": 1,
        "complete": True,
        "violationRows": None,
        "topics": [
            {
                "topic": "t",
                "records": 3,
                "partial": None,
                "sample": None,
                "ranges": [
                    {"partition": 3, "start": 5, "end": 10, "records": 3, "bytes": 40, "gap": {"start": 5, "end": 7}}
                ],
                "hotKeys": [{"partition": 3, "key": "xxx", "records": 150}],
                "results": [
                    {
                        "check": "placement",
                        "status": "exact",
                        "outcome": "violated",
                        "violations": 2,
                        "judged": 0,
                        "unjudged": 1,
                        "exempt": 0,
                        "limits": {"maxViolations": 0.0, "minJudged": 1.0},
                        "first": {"partition": 3, "offset": 7},
                        "last": {"partition": 3, "offset": 9},
                        "faults": {"misplaced": 2},
                        "partitions": [{"partition": 3, "violations": 2, "first": 7, "last": 9}],
                        "examples": [
                            {
                                "partition": 3,
                                "offset": 7,
                                "fault": "misplaced",
                                "key": "xxx",
                                "expectedPartition": 5,
                                "partitions": [],
                            }
                        ],
                        "cause": "why",
                        "fix": "what to do",
                        "remediation": "what to do",
                        "metrics": {"debt": 0.5},
                        "reason": None,
                        "notes": [],
                        "estimate": None,
                    },
                    {
                        "check": "order",
                        "status": "not-checked",
                        "outcome": "not-checked",
                        "violations": None,
                        "judged": 0,
                        "unjudged": 0,
                        "exempt": 0,
                        "limits": {"maxViolations": 0.0, "minJudged": 1.0},
                        "first": None,
                        "last": None,
                        "faults": {},
                        "partitions": [],
                        "examples": [],
                        "cause": None,
                        "fix": None,
                        "remediation": None,
                        "metrics": {},
                        "reason": "not yet",
                        "notes": [],
                        "estimate": None,
                    },
                ],
                "notes": ["read twice"],
                "hidden": [],
                "empty": None,
                "missed": 0,
            }
        ],
    }


def test_an_unreadable_topic_is_marked() -> None:
    found = Report((TopicReport("t", 0, (), (), unreadable="gone"),))
    jsonschema.validate(found.to_json(), SCHEMA)
    assert found.to_json()["topics"][0]["unreadable"] == "gone"
    assert found.unreadable == found.topics


def test_the_schema_knows_every_check() -> None:
    ours, others = SCHEMA["$defs"]["result"]["properties"]["check"]["anyOf"]
    assert ours["enum"] == [each.id for each in builtin_checks()]
    assert others["pattern"] == ID_OF_OTHERS


def test_the_docs_name_every_check_and_metric() -> None:
    page = (Path(__file__).resolve().parents[4] / "docs/checks.md").read_text()
    for check in builtin_checks():
        assert f"| `{check.id}` | {check.about.needs} | {check.about.violation} |" in page
        for name, meaning in check.about.metrics.items():
            assert f"| `{check.id}` | `{name}` | {meaning} |" in page


def test_a_sample_and_an_interruption_are_in_the_json() -> None:
    drawn = Sampled(0.5, 7, (Stratum(0, 10, 2, 1),), (Range(0, 0, 10),))
    guess = CheckResult("placement", "bounded", violations=1, reason="a sample", estimate=Estimate(2, 1, 11, 0.95))
    topic = TopicReport("t", 10, (ScannedRange(Range(0, 0, 20), 10),), (guess,), partial="a sample", sample=drawn)
    shape = Report((topic,), complete=False).to_json()
    jsonschema.validate(shape, SCHEMA)
    assert shape["complete"] is False
    assert shape["topics"][0]["sample"] == {
        "share": 0.5,
        "seed": 7,
        "blocks": 1,
        "offsetsRead": 10,
        "offsetsNotRead": 10,
    }
    assert shape["topics"][0]["results"][0]["estimate"] == {"violations": 2, "low": 1, "high": 11, "confidence": 0.95}


def test_where_the_rows_are() -> None:
    written = Written("s3a://bucket/rows", "parquet", "7f", 3)
    shape = Report((), written=written).to_json()
    jsonschema.validate(shape, SCHEMA)
    assert shape["violationRows"] == {
        "path": "s3a://bucket/rows", "format": "parquet", "runId": "7f", "rows": 3, "problem": None,
    }  # fmt: skip
    assert not Report((), written=written).unchecked
    assert Report((), written=replace(written, problem="2 rows of 3")).unchecked
