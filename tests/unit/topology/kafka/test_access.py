"""What each role in a topology is allowed to do without anyone writing an ACL."""

from __future__ import annotations

import pytest

from kafka_topology.topology import load
from kafka_topology.topology.kafka.access import Grant, derived_acls
from kafka_topology.topology.writing.access import acls_as_data, acls_as_text

HEAD = """\
version: 1
cluster: {kafka: "%s"}
topics:
  orders: {partitions: 6, replication: 3}
  payments: {partitions: 6, replication: 3}
"""


@pytest.fixture
def grants(tmp_path):
    def of(yaml: str, kafka: str = "4.1") -> tuple[Grant, ...]:
        file = tmp_path / "topology.yaml"
        file.write_text(HEAD % kafka + yaml)
        loaded = load(file)
        assert loaded.topology is not None, loaded.problems
        return derived_acls(loaded.topology)

    return of


def seen(grants: tuple[Grant, ...]) -> list[str]:
    star = {"literal": "", "prefixed": "*"}
    return [f"{g.principal} {g.permission} {g.operation} {g.resource} {g.name}{star[g.pattern]}" for g in grants]


def test_a_producer_writes_and_describes_its_topics_and_nothing_else(grants):
    found = grants("producers:\n  checkout: {principal: User:checkout, topics: [orders, payments]}\n")
    assert seen(found) == [
        "User:checkout allow Describe topic orders",
        "User:checkout allow Write topic orders",
        "User:checkout allow Describe topic payments",
        "User:checkout allow Write topic payments",
    ]


@pytest.mark.parametrize(("kafka", "needed"), [("2.7", True), ("2.8", False), ("3.7", False), ("4.2", False)])
def test_idempotence_takes_cluster_access_only_before_kafka_2_8(grants, kafka, needed):
    found = grants("producers:\n  checkout: {principal: User:checkout, topics: [orders]}\n", kafka)
    assert ("User:checkout allow IdempotentWrite cluster kafka-cluster" in seen(found)) is needed


@pytest.mark.parametrize(("declared", "shown"), [("checkout", "checkout"), ("checkout-", "checkout-*")])
def test_a_transactional_id_is_literal_or_a_prefix_when_it_ends_in_a_hyphen(grants, declared, shown):
    found = grants(
        "producers:\n  checkout: {principal: User:c, topics: [orders], delivery: exactly-once, "
        f"transactionalId: {declared}}}\n"
    )
    assert seen(found)[2:] == [
        f"User:c allow Describe transactional-id {shown}",
        f"User:c allow Write transactional-id {shown}",
    ]


def test_a_group_reads_its_topics_and_joins_its_group(grants):
    found = grants("consumerGroups:\n  billing: {principal: User:billing, topics: [orders]}\n")
    assert seen(found) == [
        "User:billing allow Describe topic orders",
        "User:billing allow Read topic orders",
        "User:billing allow Describe group billing",
        "User:billing allow Read group billing",
    ]


def test_a_standalone_consumer_needs_its_group_too_because_it_commits_there(grants):
    found = grants("consumerGroups:\n  audit: {principal: User:audit, assign: {orders: [0, 1]}}\n")
    assert seen(found) == [
        "User:audit allow Describe topic orders",
        "User:audit allow Read topic orders",
        "User:audit allow Describe group audit",
        "User:audit allow Read group audit",
    ]


def test_a_transactional_producer_commits_the_offsets_of_the_group_with_its_name(grants):
    found = grants(
        "producers:\n  pay: {principal: User:writer, topics: [payments], delivery: exactly-once, "
        "transactionalId: pay}\n"
        "consumerGroups:\n  pay: {principal: User:reader, topics: [orders], delivery: exactly-once}\n"
    )
    assert "User:writer allow Read group pay" in seen(found)
    assert "User:writer allow Read topic orders" in seen(found)


def test_a_transactional_producer_gets_no_access_to_other_groups(grants):
    found = grants(
        "producers:\n  pay: {principal: User:writer, topics: [payments], delivery: exactly-once, "
        "transactionalId: pay}\n"
        "consumerGroups:\n  other: {principal: User:reader, topics: [orders], delivery: exactly-once}\n"
    )
    assert [each for each in seen(found) if each.startswith("User:writer ")] == [
        "User:writer allow Describe topic payments",
        "User:writer allow Write topic payments",
        "User:writer allow Describe transactional-id pay",
        "User:writer allow Write transactional-id pay",
    ]


def test_one_principal_that_reads_and_writes_in_transactions_has_each_grant_once_with_both_reasons(grants):
    found = grants(
        "producers:\n  p: {principal: User:x, topics: [payments], delivery: exactly-once, transactionalId: x-}\n"
        "consumerGroups:\n  g: {principal: User:x, topics: [orders], delivery: exactly-once}\n"
    )
    assert len(seen(found)) == len(set(seen(found)))
    (read,) = (g for g in found if (g.resource, g.operation) == ("group", "Read"))
    assert [reason.text for reason in read.reasons] == [
        "producer p commits its offsets in transactions",
        "group g joins it and commits offsets",
    ]


def test_a_streams_application_manages_its_internal_topics_by_prefix(grants):
    found = grants("streams:\n  enrich: {principal: User:e, reads: [orders], writes: [payments]}\n")
    assert seen(found) == [
        "User:e allow Create topic enrich-*",
        "User:e allow Delete topic enrich-*",
        "User:e allow Describe topic enrich-*",
        "User:e allow Read topic enrich-*",
        "User:e allow Write topic enrich-*",
        "User:e allow Describe topic orders",
        "User:e allow Read topic orders",
        "User:e allow Describe topic payments",
        "User:e allow Write topic payments",
        "User:e allow Describe group enrich",
        "User:e allow Read group enrich",
    ]


def test_an_exactly_once_streams_application_has_its_transactional_ids_by_prefix(grants):
    found = grants("streams:\n  enrich: {principal: User:e, reads: [orders], delivery: exactly-once}\n")
    assert seen(found)[-2:] == [
        "User:e allow Describe transactional-id enrich-*",
        "User:e allow Write transactional-id enrich-*",
    ]


def test_a_role_without_a_principal_implies_no_access(grants):
    assert grants("producers:\n  checkout: {topics: [orders]}\n") == ()


def test_declared_rules_are_part_of_it_and_one_that_repeats_a_need_is_not_repeated(grants):
    found = grants(
        "consumerGroups:\n  billing: {principal: User:b, topics: [orders]}\n"
        "acls:\n"
        "  - {principal: User:b, topic: orders, operations: [Read]}\n"
        "  - {principal: User:b, topic: pay, pattern: prefixed, operations: [Alter], "
        "permission: deny, host: 10.0.0.1}\n"
    )
    (read,) = (g for g in found if (g.name, g.operation) == ("orders", "Read"))
    assert [reason.declared for reason in read.reasons] == [False, True]
    assert read.is_derived
    (denied,) = (g for g in found if g.permission == "deny")
    assert (denied.host, denied.pattern, denied.is_derived) == ("10.0.0.1", "prefixed", False)


def test_each_grant_points_at_the_value_that_needs_it(grants):
    found = grants("producers:\n  checkout: {principal: User:c, topics: [orders, payments]}\n")
    last = found[-1].place.location
    assert (last.line, last.column) == (7, 50)


def test_access_is_shown_per_principal_with_the_reason(grants):
    text = acls_as_text(grants("consumerGroups:\n  billing: {principal: User:b, topics: [orders]}\n"))
    lines = text.splitlines()
    assert lines[0] == "User:b"
    assert lines[2].startswith("  allow  Read      topic orders   group billing reads it and commits its offsets (")


def test_access_as_data_has_every_reason_with_its_place(grants):
    (first, *_) = acls_as_data(grants("producers:\n  checkout: {principal: User:c, topics: [orders]}\n"))
    assert first["operation"] == "Describe"
    assert first["reasons"][0]["reason"] == "producer checkout looks up its partitions"
    assert first["reasons"][0]["place"].endswith("topology.yaml:7:42")


def test_every_principal_of_a_rotation_gets_the_same_access(grants):
    rotating = grants(
        """\
producers:
  ledger: {principal: [User:old, User:new], topics: [payments], delivery: exactly-once, transactionalId: ledger-}
consumerGroups:
  ledger: {principal: [User:new, User:old], topics: [orders], delivery: exactly-once}
streams:
  summing: {principal: [User:old, User:new], reads: [orders], writes: [payments]}
"""
    )
    of = {
        name: [line.removeprefix(f"{name} ") for line in seen(rotating) if line.startswith(f"{name} ")]
        for name in ("User:old", "User:new")
    }
    assert of["User:old"] == of["User:new"]
    assert len(of["User:old"]) * 2 == len(rotating)
    assert {"allow Write topic payments", "allow Read group ledger", "allow Create topic summing-*"} <= set(
        of["User:old"]
    )


def test_a_producer_and_a_group_that_share_one_of_their_principals_are_one_application(grants):
    found = grants(
        """\
producers:
  writer: {principal: [User:new, User:old], topics: [payments], delivery: exactly-once, transactionalId: w-}
consumerGroups:
  reader: {principal: User:old, topics: [orders], delivery: exactly-once}
"""
    )
    assert {"User:new allow Read group reader", "User:old allow Read group reader"} <= set(seen(found))
