"""The subjects of an audit describe themselves: what they read, which kinds they compare, what their findings name."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import kafka_topology.report.findings
from kafka_topology.audit import subjects as folder
from kafka_topology.audit.registry import checks, subjects
from kafka_topology.provider.resources.descriptor import installed_kinds

SCHEMA = Path(kafka_topology.report.findings.__file__).parent / "findings.schema.json"


def test_each_module_is_a_subject_with_an_order_of_its_own():
    modules = [file for file in Path(folder.__file__).parent.rglob("*.py") if file.stem != "__init__"]
    assert len(subjects()) == len(modules)
    assert max(Counter(subject.order for subject in subjects()).values()) == 1
    assert max(Counter(check.id for check in checks()).values()) == 1


def test_no_kind_is_compared_twice_or_unknown():
    compared = [kind for subject in subjects() for kind in subject.kinds]
    assert len(compared) == len(set(compared))
    assert {"Topic", "ConsumerGroup", "Access", "User", "Quota"} <= set(compared) <= set(installed_kinds())


def test_observations_of_one_name_are_one():
    observed = {each.name: each for subject in subjects() for each in subject.reads}
    assert all(observed[each.name] is each for subject in subjects() for each in subject.reads)


def test_the_schema_of_findings_has_every_word():
    words = {word for subject in subjects() for word in subject.words}
    known = json.loads(SCHEMA.read_text())["$defs"]["finding"]["properties"]["resourceKind"]["enum"]
    assert words <= set(known)
