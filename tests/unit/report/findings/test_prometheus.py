"""Metrics for Prometheus: every line as its documentation asks for, whatever names a file has."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

from prometheus_text import parsed

from kafka_topology.report.findings.formats import render
from kafka_topology.report.run import Run
from kafka_topology.topology import Finding, Location, Severity

HERE = Location("/repo/t.yaml", 1, 1, 1, 2)
ODD = 'a "quoted" \\ name\nwith\ta break and \udc80 ü'


def run(*findings, **changes):
    defaults = {"subject": "/repo/t.yaml", "folder": Path("/repo"), "findings": findings, "command": "audit"}
    return Run(**{**defaults, **changes})


def finding(rule="KTA204", resource="orders", severity=Severity.WARNING):
    return Finding(rule, severity, "m", HERE, resource, kind="topic")


def test_findings_are_counted_by_rule_severity_and_resource():
    numbers = parsed(render("prometheus", run(finding(), finding(), finding("KTA101", severity=Severity.ERROR))))
    about = {"command": "audit", "topology": "t.yaml", "environment": "", "kind": "topic", "resource": "orders"}
    assert numbers.of("kafka_topology_finding", rule="KTA204", severity="warning", **about) == [2]
    assert numbers.of("kafka_topology_finding", rule="KTA101", severity="error", **about) == [1]
    assert [numbers.of("kafka_topology_findings", severity=each.value) for each in Severity] == [[1], [2], [0]]


def test_a_clean_run_has_zeros_to_alert_on():
    numbers = parsed(render("prometheus", run(at=datetime(2026, 3, 1, tzinfo=UTC), environment="prod")))
    assert numbers.of("kafka_topology_findings", severity="error", environment="prod") == [0]
    assert numbers.of("kafka_topology_could_not_check") == [0]
    assert numbers.of("kafka_topology_success") == [1]
    assert numbers.of("kafka_topology_last_run_timestamp_seconds") == [1772323200]


def test_what_could_not_be_checked_is_no_success():
    text = render("prometheus", run(could_not_check=("reading the users:\ndenied",)))
    assert text.startswith("# could not check: reading the users:\\ndenied\n")
    numbers = parsed(text)
    assert (numbers.of("kafka_topology_success"), numbers.of("kafka_topology_could_not_check")) == ([0], [1])


def test_names_are_escaped_and_stay_apart():
    numbers = parsed(render("prometheus", run(finding(resource=ODD), finding(resource='a"'), finding(resource='a\\"'))))
    assert len(numbers.of("kafka_topology_finding")) == 3
    assert numbers.of("kafka_topology_finding", resource=ODD.replace("\udc80", "?")) == [1]


def test_live_numbers_leave_out_what_is_unknown():
    partitions = [
        {"topic": "orders", "partition": 0, "lag": 7, "lagSeconds": 12.5},
        {"topic": "orders", "partition": 1, "lag": 3, "lagSeconds": None},
    ]
    live = {
        "brokers": [{"broker": 1, "rack": None, "up": True, "leaders": 2, "replicas": 2}],
        "topics": [
            {
                "topic": "orders",
                "partitions": 2,
                "withoutLeader": 0,
                "underReplicated": 1,
                "fewestInSync": 1,
                "minInSync": None,
            }
        ],
        "groups": [{"group": "g", "members": 1, "maxLag": None, "maxLagSeconds": 600.0, "partitions": partitions}],
    }
    numbers = parsed(render("prometheus", run(live=live)))
    of = {"group": "g", "topic": "orders"}
    assert numbers.of("kafka_topology_group_lag_records", **of) == [7, 3]
    assert numbers.of("kafka_topology_group_lag_seconds", **of) == [12.5]
    assert numbers.of("kafka_topology_group_max_lag_records") == []
    assert numbers.of("kafka_topology_group_max_lag_seconds") == [600]
    assert numbers.of("kafka_topology_topic_partitions_under_replicated", topic="orders") == [1]
    assert numbers.of("kafka_topology_topic_min_in_sync_replicas") == []
    assert numbers.of("kafka_topology_broker_up", broker="1") == [1]
