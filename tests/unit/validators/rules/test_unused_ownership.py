"""KT015: which entries of the ownership count as used."""

from __future__ import annotations

import pytest

from kafka_topology.topology import load
from kafka_topology.validators import validate

USED = """\
version: 1
ownership:
  topics: [shop., "enrich-"]
  groups: [enrich, shop.]
  principals: ["User:role", "User:acl", "User:login", "User:limited"]
  grants: {topics: [bank.], groups: ["*"], cluster: [Describe], transactionalIds: [pay-]}
topics:
  shop.orders: {partitions: 1, replication: 1}
producers:
  p: {principal: "User:role", topics: [bank.payments], transactionalId: pay-1, delivery: exactly-once}
consumerGroups:
  shop.billing: {topics: [shop.orders]}
streams:
  enrich: {reads: [shop.orders]}
users:
  login: {mechanism: SCRAM-SHA-512, password: {secret: p}}
quotas:
  - {user: limited, producerByteRate: 1MB/s}
acls:
  - {principal: "User:acl", group: other, operations: [Read]}
  - {principal: "User:acl", cluster: kafka-cluster, operations: [Describe]}
"""


def unused(tmp_path, text: str) -> list[str]:
    (tmp_path / "topology.yaml").write_text(text)
    loaded = load(tmp_path / "topology.yaml")
    assert loaded.topology is not None, loaded.problems
    return [finding.message for finding in validate(loaded.topology) if finding.id == "KT015"]


def test_entries_that_something_uses_are_silent(tmp_path):
    assert unused(tmp_path, USED) == []


@pytest.mark.parametrize(
    ("entry", "wrong", "message"),
    [
        ("topics: [shop.,", "topics: [shop., shpo.,", "ownership.topics: no topic matches shpo."),
        (
            "groups: [enrich,",
            "groups: [enrich, x,",
            "ownership.groups: no group, share group or streams application matches x",
        ),
        ('"User:login"', '"User:login", "login"', "ownership.principals: no principal matches login"),
        ("topics: [bank.]", "topics: [bank., bnak.]", "ownership.grants.topics: no access matches bnak."),
        ("[Describe], tr", "[Describe, Alter], tr", "ownership.grants.cluster: no access matches Alter"),
        ("[pay-]}", '[pay-], users: ["*"]}', "ownership.grants.users: no access matches *"),
    ],
)
def test_one_of_several_entries_that_matches_nothing_is_named(tmp_path, entry, wrong, message):
    assert USED.count(entry) == 1
    assert unused(tmp_path, USED.replace(entry, wrong)) == [f"{message}; expected at least one"]
