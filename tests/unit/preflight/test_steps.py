"""The pure parts of a preflight: what steps exist, what a change needs, and what a fingerprint shows."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from promised import promised

from kafka_topology.audit.registry import checks as audit_checks
from kafka_topology.cluster.live.disks import Disk, LogDir
from kafka_topology.preflight.fingerprints import Fingerprint, read_fingerprint
from kafka_topology.preflight.registry import steps
from kafka_topology.preflight.requests import Request
from kafka_topology.preflight.run import Answered, Preflighted
from kafka_topology.preflight.steps.permissions import needed_on_cluster
from kafka_topology.preflight.steps.room import free_of
from kafka_topology.report.preflight.formats import Presented, preflight_formats
from kafka_topology.report.run import Run
from kafka_topology.topology import Finding, Location, Severity
from kafka_topology.validators import Outcome, installed_rules

PRINT = Fingerprint("c", "t", "d", "l")


def test_every_step_uses_checks_that_exist_and_its_own_are_rules():
    known = {check.id for check in audit_checks()}
    assert [step.name for step in steps()] == [
        "rules", "brokers", "removals", "drift", "health", "room", "permissions", "versions", "stack", "plan",
    ]  # fmt: skip
    for step in steps():
        assert step.blocks <= step.uses <= known, step.name
    assert {check.id for step in steps() for check in step.checks} <= {rule.id for rule in installed_rules().rules}


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({}, []),
        ({"cluster": "x"}, ["the brokers belong to cluster x, and the plan was made for c"]),
        (
            {"topology": "x", "live": "x"},
            ["the topology asks for something else than the one that the plan was made from"],
        ),
        ({"deployed": "x"}, ["the stack was deployed again since the plan was made"]),
        ({"live": "x"}, ["declared resources changed on the cluster since the plan was made"]),
    ],
)
def test_a_fingerprint_says_what_changed(changed, said):
    assert list(replace(PRINT, **changed).differences(PRINT)) == said


def test_a_fingerprint_survives_json_and_a_document_without_one_is_refused():
    assert read_fingerprint({"fingerprint": PRINT.as_json()}) == PRINT
    for wrong in ({}, {"fingerprint": None}, {"fingerprint": {"cluster": "c"}}, []):
        with pytest.raises(ValueError, match="no fingerprint"):
            read_fingerprint(wrong)


def test_the_cluster_needs_what_the_kinds_document():
    request = Request(("Topic", "t"), "update", {}, changed=("partitions",))
    assert set(needed_on_cluster([request])) == {"Describe"}
    moved = replace(request, changed=("replication",))
    assert set(needed_on_cluster([moved])) == {"Describe", "Alter", "DescribeConfigs", "AlterConfigs"}
    assert set(needed_on_cluster([Request(("Quota", "q"), "create", {})])) == {"DescribeConfigs", "AlterConfigs"}


def test_folders_of_one_volume_count_once_and_unknown_space_is_not_free():
    one = LogDir("/a", total=1000, usable=600)
    assert free_of(Disk((one, replace(one, path="/b"))), 10.0) == 500
    assert free_of(Disk((one, LogDir("/c", total=100, usable=50))), 10.0) == 540
    assert free_of(Disk((one, LogDir("/c"))), 10.0) is None
    assert free_of(Disk((LogDir("/a", is_offline=True),)), 10.0) is None


def presented(findings=(), unread=()):
    answered = tuple(Answered(step, "no" if findings else "yes", "said") for step in steps()[:2])
    found = Preflighted(Outcome(findings, (), (), frozenset()), answered, unread, {"create": 2}, 3, "HEAD", PRINT)
    run = Run(subject="t.yaml", folder=Path(), findings=findings, could_not_check=unread, command="preflight")
    return Presented(preflighted=found, run=run, cluster="localhost:9092")


def test_what_was_not_checked_is_never_a_yes():
    error = (Finding("KTP101", Severity.ERROR, "a|b", Location("t.yaml", 1, 1, 1, 2), "t", "fix it"),)
    assert presented().headline == "Yes"
    assert presented(unread=("x",)).headline == "Unknown: 1 thing could not be checked"
    assert presented(error, ("x", "y")).headline == "No: 1 reason, and 2 could not be checked"
    formats = preflight_formats().by_name
    assert set(formats) == {"text", "github", "gitlab", "json", "junit", "markdown", "sarif"}
    documents = [
        json.loads(formats["json"].render(each)) for each in (presented(), presented(unread=("x",)), presented(error))
    ]
    assert [each["answer"] for each in documents] == ["yes", "could not check", "no"]
    for document in documents:
        promised("preflight").validate(document)
    text = formats["text"].render(presented(error))
    assert "May t.yaml be deployed to localhost:9092 now? No: 1 reason" in text
    assert "pulumi up would create 2 of 3 resources (compared with HEAD)" in text
    markdown = formats["markdown"].render(presented(error, ("x",)))
    assert markdown.startswith("### ❌ kafka-topology preflight: No: 1 reason")
    assert "- **could not check:** x" in markdown
