"""Findings about access name what is given: otherwise a baseline would hide more of it."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from kafka_topology.report.findings.fingerprints import fingerprint
from kafka_topology.topology import load
from kafka_topology.validators import installed_rules, run

RULES = {rule.id: rule for rule in installed_rules().rules}
MORE = {"topic": ["Write", "Delete", "AlterConfigs"], "group": ["Delete"], "cluster": ["Alter", "ClusterAction"]}
CASES = [
    (rule_id, bad.yaml)
    for rule_id in ("KT601", "KT602", "KT606", "KT614", "KT616", "KT617", "KT618")
    for bad in RULES[rule_id].bad
    if "acls:" in bad.yaml and "[All]" not in bad.yaml
]


def _fingerprints(rule_id: str, document: object, folder: Path) -> set[str]:
    (folder / "topology.yaml").write_text(yaml.safe_dump(document))
    topology = load(folder / "topology.yaml").topology
    assert topology is not None
    return {fingerprint(each) for each in run(topology, rules=[RULES[rule_id]]).findings}


@pytest.mark.parametrize(("rule_id", "text"), CASES)
def test_more_operations_are_a_new_finding(rule_id: str, text: str, tmp_path: Path) -> None:
    document = yaml.safe_load(text)
    before = _fingerprints(rule_id, document, tmp_path)
    for acl in document["acls"]:
        acl["operations"] += [
            each for kind in MORE if kind in acl for each in MORE[kind] if each not in acl["operations"]
        ]
    after = _fingerprints(rule_id, document, tmp_path)
    assert before
    assert not before & after


def test_a_wider_name_and_another_role_are_new_findings(tmp_path: Path) -> None:
    text = """\
version: 1
topics: {carts: {owner: checkout, partitions: 6, replication: 3}}
acls: [{principal: "User:audit", topic: carts, operations: [Read]}]
"""
    before = _fingerprints("KT617", yaml.safe_load(text), tmp_path)
    wider = text.replace("topic: carts", "topic: carts, pattern: prefixed")
    assert not before & _fingerprints("KT617", yaml.safe_load(wider), tmp_path)
    role = "{billing: {owner: finance, principal: 'User:b', topics: [carts]}}\n"
    head = text.split("acls:", maxsplit=1)[0]
    reads = _fingerprints("KT601", yaml.safe_load(f"{head}consumerGroups: {role}"), tmp_path)
    writes = _fingerprints("KT601", yaml.safe_load(f"{head}producers: {role}"), tmp_path)
    assert reads
    assert writes
    assert not reads & writes
