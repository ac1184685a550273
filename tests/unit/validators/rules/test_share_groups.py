"""Share groups on brokers that have none: one finding says so, and no other pretends that they exist."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml

from kafka_topology.topology import load
from kafka_topology.validators import builtin_rules, validate

MISUSED = """\
version: 1
topics: {a: {partitions: 6, replication: 3, ordering: per-key, key: {type: string}}}
producers: {w: {topics: [a], delivery: exactly-once, transactionalId: w-}}
consumerGroups: {two: {topics: [a]}}
shareGroups:
  s:
    topics: [a]
    members: 300
    groupConfig: {consumer.session.timeout.ms: 50s, share.session.timeout.ms: 1s, share.isolation.level: dirty, foo: 1}
    config: {group.id: other, isolation.level: read_committed}
  two: {topics: [a], start: earliest, reset: {to: latest, ticket: INC-7}}
"""


def documents() -> Iterator[str]:
    """What rules about clients find wrong in share groups."""
    yield MISUSED
    for rule in builtin_rules():
        if rule.id.startswith(("KT4", "KT5")):
            yield from (bad.yaml for bad in rule.bad if "shareGroups" in bad.yaml)


@pytest.mark.parametrize("kafka", ["3.9", "4.0"])
def test_only_one_rule_speaks_where_brokers_have_no_share_groups(kafka: str, tmp_path: Path) -> None:
    file = tmp_path / "t.yaml"
    seen = 0
    for text in documents():
        document = yaml.safe_load(text)
        document["cluster"] = {**document.get("cluster", {}), "kafka": kafka}
        file.write_text(yaml.safe_dump(document, sort_keys=False))
        topology = load(file).topology
        assert topology is not None, text
        findings = [each for each in validate(topology) if each.kind == "shareGroup"]
        found = [(each.resource, each.id) for each in findings if each.id.startswith(("KT4", "KT5"))]
        assert found == [(name, "KT550") for name in topology.share_groups], text
        seen += len(found)
    assert seen > 15


def test_the_same_groups_are_judged_where_brokers_have_them(tmp_path: Path) -> None:
    file = tmp_path / "t.yaml"
    file.write_text(MISUSED.replace("version: 1", 'version: 1\ncluster: {kafka: "4.2"}'))
    topology = load(file).topology
    assert topology is not None
    found = {each.id for each in validate(topology) if each.kind == "shareGroup"}
    assert found >= {"KT512", "KT516", "KT553", "KT554", "KT555", "KT556", "KT557", "KT558", "KT559", "KT560", "KT411"}
