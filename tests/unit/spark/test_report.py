"""The JSON shape other tools rely on."""

from __future__ import annotations

import json

from kafka_topology.spark_checks.offsets import Range
from kafka_topology.spark_checks.report import (
    CheckResult,
    Example,
    HotKeyCount,
    PartitionCount,
    Position,
    Report,
    ScannedRange,
    TopicReport,
)

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
    remediation="what to do",
    metrics={"debt": 0.5},
)


def test_json_shape() -> None:
    ranges = (ScannedRange(Range(3, 5, 10), 3, 40, deleted_to=7),)
    results = (FOUND, CheckResult("order", "not-checked", reason="not yet"))
    hot_keys = (HotKeyCount(3, "xxx", 150),)
    shape = Report((TopicReport("t", 3, ranges, results, hot_keys=hot_keys, notes=("read twice",)),)).to_json()
    assert json.loads(json.dumps(shape)) == {
        "topics": [
            {
                "topic": "t",
                "records": 3,
                "ranges": [
                    {"partition": 3, "start": 5, "end": 10, "records": 3, "bytes": 40, "gap": {"start": 5, "end": 7}}
                ],
                "hotKeys": [{"partition": 3, "key": "xxx", "records": 150}],
                "results": [
                    {
                        "check": "placement",
                        "status": "exact",
                        "violations": 2,
                        "unjudged": 1,
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
                        "remediation": "what to do",
                        "metrics": {"debt": 0.5},
                        "reason": None,
                        "notes": [],
                    },
                    {
                        "check": "order",
                        "status": "not-checked",
                        "violations": None,
                        "unjudged": 0,
                        "first": None,
                        "last": None,
                        "faults": {},
                        "partitions": [],
                        "examples": [],
                        "cause": None,
                        "remediation": None,
                        "metrics": {},
                        "reason": "not yet",
                        "notes": [],
                    },
                ],
                "notes": ["read twice"],
            }
        ]
    }


def test_an_unreadable_topic_is_marked() -> None:
    report = Report((TopicReport("t", 0, (), (), unreadable="gone"),))
    assert report.to_json()["topics"][0]["unreadable"] == "gone"
    assert report.unreadable == report.topics
