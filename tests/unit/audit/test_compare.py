"""The pure core of an audit: what is declared against what was seen, without a broker."""

from __future__ import annotations

from dataclasses import replace

import pytest

from kafka_topology.audit.compare import audit
from kafka_topology.audit.picture import picture
from kafka_topology.audit.registry import checks, subjects
from kafka_topology.audit.rules import audit_rules
from kafka_topology.audit.snapshot import Snapshot
from kafka_topology.cluster.live.access import Acl
from kafka_topology.cluster.live.groups import Committed, GroupShape, LiveGroup
from kafka_topology.cluster.live.quotas import Entity
from kafka_topology.cluster.live.topics import LiveTopic, Placed
from kafka_topology.cluster.outcomes import Failure, FailureKind
from kafka_topology.provider.resources.access.descriptor import desired as access
from kafka_topology.topology import Severity, load
from kafka_topology.topology.kafka.access import derived_acls
from kafka_topology.validators import judged

TOPOLOGY = """\
version: 1
cluster:
  brokers: [{id: 1, rack: a}, {id: 2, rack: a}, {id: 3, rack: b}]
  controllers: 3
  defaults: {min.insync.replicas: 1}
ownership: {topics: [shop.], groups: [shop.], principals: ["User:shop-"]}
profiles:
  event: {replication: 2, retention: 7d}
topics:
  shop.orders:
    profile: event
    partitions: 2
producers:
  checkout: {principal: "User:shop-checkout", topics: [shop.orders]}
consumerGroups:
  shop.billing: {topics: [shop.orders], members: 1, maxLag: 5}
streams:
  shop.enrich: {reads: [shop.orders]}
users:
  shop-checkout: {mechanism: SCRAM-SHA-512, password: {secret: p}}
quotas:
  - {user: shop-checkout, producerByteRate: 1MB/s}
"""
WEEK = str(7 * 24 * 3600 * 1000)
PLACED = Placed(1, (1, 3), (1, 3))
ORDERS = LiveTopic(
    "shop.orders",
    "id",
    2,
    2,
    {"retention.ms": WEEK},
    placement=(PLACED, Placed(3, (3, 2), (2, 3))),
    min_in_sync=1,
)
READ = frozenset({("shop.orders", 0), ("shop.orders", 1)})
BILLING = LiveGroup(
    "shop.billing",
    GroupShape("Stable", 1),
    READ,
    offsets=dict.fromkeys(READ, Committed(7)),
    ends=dict.fromkeys(READ, 7),
)
FAILED = Failure(FailureKind.DENIED, "reading it: not allowed")


def snapshot(**seen):
    return Snapshot(seen)


def seeing(live, **changes):
    """The snapshot with other observations."""
    assert changes.keys() <= live.seen.keys()
    return Snapshot({**live.seen, **changes})


@pytest.fixture
def load_text(tmp_path):
    def loaded(text=TOPOLOGY):
        (tmp_path / "topology.yaml").write_text(text)
        found = load(tmp_path / "topology.yaml")
        assert found.topology is not None, found.problems
        return found.topology

    return loaded


@pytest.fixture
def topology(load_text):
    return load_text()


@pytest.fixture
def live(topology):
    """Exactly what is declared."""
    acls = {Acl(g.principal, g.resource, g.name, g.operation, g.pattern, g.host) for g in derived_acls(topology)}
    return snapshot(
        brokers={1: "a", 2: "a", 3: "b"},
        topics={"shop.orders": ORDERS},
        topic_names=frozenset({"shop.orders", "shop.enrich-store-changelog", "other"}),
        groups={"shop.billing": BILLING, "shop.enrich": replace(BILLING, name="shop.enrich")},
        group_names=frozenset({"shop.billing", "shop.enrich", "other"}),
        acls=frozenset(acls),
        users={"shop-checkout": {"SCRAM-SHA-512": 8192}, "other": {"SCRAM-SHA-512": 4096}},
        quotas={Entity("shop-checkout"): {"producer_byte_rate": 1e6}, Entity("other"): {"request_percentage": 1.0}},
        broker_configs={broker: {"min.insync.replicas": "1"} for broker in (1, 2, 3)},
        controllers=3,
    )


def ids(found):
    return [finding.id for finding in found.findings]


def test_what_equals_the_declaration_is_clean(topology, live):
    assert list(access(topology))  # there is access to be compared
    found = audit(topology, live)
    assert (found.findings, found.unread) == ((), ())


def orders(**changes):
    return {"topics": {"shop.orders": replace(ORDERS, **changes)}}


def billing(**changes):
    enrich = replace(BILLING, name="shop.enrich")
    return {"groups": {"shop.billing": replace(BILLING, **changes), "shop.enrich": enrich}}


BY_ONE = (Placed(1, (1, 3), (1, 3)),) * 40
CASES = {
    "KTA101": {"topics": {"shop.orders": Failure(FailureKind.MISSING, "no such topic")}},
    "KTA102": orders(partitions=3),
    "KTA103": orders(replication=3),
    "KTA104": orders(config={"retention.ms": "1"}),
    "KTA105": orders(config={"retention.ms": f"0{WEEK}", "segment.ms": "1"}),
    "KTA106": {"topic_names": frozenset({"shop.orders", "shop.stray"})},
    "KTA201": orders(placement=(Placed(None, (1, 3), ()), PLACED)),
    "KTA202": orders(placement=(Placed(1, (1, 3), (1,)), PLACED), min_in_sync=2),
    "KTA203": orders(placement=(Placed(1, (1, 3), (1,)), PLACED)),
    "KTA204": orders(placement=(Placed(1, (1, 3, 2), (1, 3)), PLACED)),
    "KTA205": orders(placement=(Placed(1, (1, 2), (1, 2)), PLACED)),
    "KTA206": orders(placement=(Placed(3, (1, 3), (1, 3)), PLACED)),
    "KTA207": orders(placement=BY_ONE),
    "KTA302": billing(shape=GroupShape("Empty", 0)),
    "KTA303": billing(offsets={("shop.orders", 0): Committed(7)}),
    "KTA304": billing(ends=dict.fromkeys(READ, 10)),
    "KTA305": billing(shape=GroupShape("Stable", 2)),
    "KTA308": {"group_names": frozenset({"shop.billing", "shop.stray"})},
    "KTA401": {"acls": frozenset()},
    "KTA411": {"users": {"shop-checkout": {}}},
    "KTA413": {"users": {"shop-checkout": {"SCRAM-SHA-512": 1, "SCRAM-SHA-256": 1}}},
    "KTA421": {"quotas": {}},
    "KTA422": {"quotas": {Entity("shop-checkout"): {"producer_byte_rate": 1e6, "request_percentage": 1.0}}},
    "KTA501": {"brokers": {1: "a", 3: "b"}},
    "KTA502": {"brokers": {1: "a", 2: "a", 3: "c"}},
    "KTA503": {"broker_configs": {1: {"min.insync.replicas": "2"}, 2: {"min.insync.replicas": "1"}}},
    "KTA504": {"controllers": 1},
}


@pytest.mark.parametrize(("check", "change"), CASES.items(), ids=CASES)
def test_each_difference_is_one_finding_at_a_place_with_evidence(topology, live, check, change):
    found = audit(topology, seeing(live, **change))
    assert ids(found) == [check]
    [finding] = found.findings
    assert finding.location.file.endswith("topology.yaml")
    assert finding.message
    assert finding.fix
    [words] = [each.words for each in subjects() if check in {made.id for made in each.checks}]
    assert finding.kind in words
    assert {"expected", "actual"} <= finding.evidence.keys()
    assert finding.evidence["expected"] != finding.evidence["actual"]


def test_a_group_that_nobody_has_used_is_an_error_only_with_a_declared_start(load_text, live):
    unused = {"shop.billing": LiveGroup("shop.billing"), "shop.enrich": replace(BILLING, name="shop.enrich")}
    seen = seeing(live, groups=unused)
    [finding] = audit(load_text(), seen).findings
    assert (finding.id, finding.severity) == ("KTA301", Severity.ADVICE)
    [finding] = audit(load_text(TOPOLOGY.replace("maxLag: 5", "start: earliest")), seen).findings
    assert (finding.id, finding.severity) == ("KTA301", Severity.ERROR)


def test_more_members_than_partitions_stand_idle(load_text, live):
    topology = load_text(TOPOLOGY.replace("members: 1, ", ""))
    found = audit(topology, seeing(live, **billing(shape=GroupShape("Stable", 3))))
    assert ids(found) == ["KTA306"]
    assert "1 stand idle" in found.findings[0].message


def test_a_partition_that_was_never_written_needs_no_offset(topology, live):
    silent = billing(offsets={("shop.orders", 0): Committed(7)}, ends={("shop.orders", 0): 7, ("shop.orders", 1): 0})
    assert ids(audit(topology, seeing(live, **silent))) == []


def test_while_replicas_are_copied_their_number_is_no_drift(topology, live):
    assert ids(audit(topology, seeing(live, **orders(replication=4, is_moving=True)))) == []


def test_a_throttle_that_was_left_behind_and_uneven_partitions_hide_no_drift(topology, live):
    assert ids(audit(topology, seeing(live, **orders(replication=1, throttled=True)))) == ["KTA103", "KTA105"]
    assert "KTA105" not in ids(audit(topology, seeing(live, **orders(throttled=True, is_moving=True))))
    declared = topology.topics["shop.orders"].replication
    (finding,) = audit(topology, seeing(live, **orders(replication=declared, most_replicas=declared + 1))).findings
    assert f"{declared} to {declared + 1} replicas; expected {declared}" in finding.message


def test_a_broker_too_many_is_a_warning(topology, live):
    [finding] = audit(topology, seeing(live, brokers={1: "a", 2: "a", 3: "b", 4: "b"})).findings
    assert (finding.id, finding.severity, finding.evidence["undeclared"]) == ("KTA501", Severity.WARNING, [4])


def outsider(name, operation="Read", pattern="literal", resource="topic", principal="User:x"):
    return Acl(principal, resource, name, operation, pattern)


@pytest.mark.parametrize(
    ("acl", "check"),
    [
        (outsider("shop.orders"), "KTA402"),
        (outsider("shop.", pattern="prefixed"), "KTA402"),
        (outsider("shop.billing", resource="group"), "KTA402"),
        (outsider("elsewhere", principal="User:shop-new"), "KTA402"),
        (outsider("*"), "KTA403"),
        (outsider("sh", pattern="prefixed"), "KTA403"),
        (outsider("*", "Describe"), None),
        (outsider("other"), None),
        (replace(outsider("*"), permission="deny"), None),
        (outsider("*", resource="group"), None),
    ],
)
def test_access_that_nobody_declared(topology, live, acl, check):
    found = audit(topology, seeing(live, acls=live.seen["acls"] | {acl}))
    assert ids(found) == ([check] if check else [])


def test_acls_that_differ_in_the_operation_are_reported_together(topology, live):
    [finding] = audit(topology, seeing(live, acls=frozenset())).findings
    assert "is missing access: allow Describe, Write on topic 'shop.orders'" in finding.message
    assert finding.location.line == 14


def test_what_was_inherited_is_reported_where_it_was_set(topology, live):
    [finding] = audit(topology, seeing(live, **orders(config={}))).findings
    assert finding.message == (
        "shop.orders: retention.ms is not set on the cluster; expected 7d (set by profile event)"
    )
    assert (finding.location.line, finding.related[0].location.line) == (8, 10)


@pytest.mark.parametrize("part", ["brokers", "topic_names", "group_names", "acls", "users", "quotas", "controllers"])
def test_what_could_not_be_read_is_said_and_is_no_finding(topology, live, part):
    found = audit(topology, seeing(live, **{part: FAILED}))
    assert (found.findings, found.unread) == ((), (FAILED.message,))


def test_the_same_failure_of_many_is_reported_once(topology, live):
    seen = seeing(live, groups=dict.fromkeys(live.seen["groups"], FAILED), topics={"shop.orders": FAILED})
    assert audit(topology, seen).unread == (FAILED.message, f"{FAILED.message}, and 1 more groups")


def test_without_an_authorizer_only_declared_access_cannot_be_checked(load_text, live):
    none = seeing(live, acls=Failure(FailureKind.REJECTED, "reading the ACLs: none (SecurityDisabled)"))
    assert len(audit(load_text(), none).unread) == 1
    without = TOPOLOGY.replace('principal: "User:shop-checkout", ', "")
    assert audit(load_text(without), none).unread == ()


def test_severities_and_suppressions_of_the_files_count(load_text, live):
    text = TOPOLOGY.replace("    partitions: 2\n", "    partitions: 2  # kafka-topology: ignore KTA102 being fixed\n")
    topology = load_text(text + "rules: {KTA308: {severity: off}, KTA106: {severity: error}}\n")
    stray = frozenset({"shop.stray"})
    seen = seeing(live, topic_names=stray, group_names=stray, **orders(partitions=3))
    outcome = judged(topology, audit(topology, seen).findings, audit_rules())
    assert [(f.id, f.severity.value) for f in outcome.findings] == [("KTA106", "error")]
    assert [(s.finding.id, s.by.reason) for s in outcome.suppressed] == [("KTA102", "being fixed")]


def test_an_option_moves_the_limit_of_skew(topology, live):
    seen = seeing(live, **CASES["KTA207"])
    assert ids(audit(topology, seen)) == ["KTA207"]
    assert ids(audit(topology, seen, {"KTA207": {"ratio": 4.0}})) == []


def test_every_check_is_documented_and_tried():
    covered = {*CASES, "KTA301", "KTA306", "KTA307", "KTA402", "KTA403", "KTA412"}  # the others below, and on a cluster
    assert covered == {check.id for check in checks()}
    for check in checks():
        assert check.summary.endswith("."), check.id
        assert check.why, check.id
        assert check.fix.endswith((".", "?")), check.id
        assert check.requirements, check.id


def test_settings_of_groups_and_iterations_of_users(load_text, live):
    text = TOPOLOGY.replace("maxLag: 5", "groupConfig: {consumer.session.timeout.ms: 50s}")
    text = text.replace("password: {secret: p}", "password: {secret: p}, iterations: 4096")
    assert sorted(ids(audit(load_text(text), live))) == ["KTA307", "KTA412"]


def test_the_picture_has_brokers_that_are_down_and_groups_with_their_lag(topology, live):
    seen = picture(topology, seeing(live, brokers={1: "a", 2: "a"}))
    assert seen["brokers"] == [
        {"broker": 1, "rack": "a", "up": True, "leaders": 1, "replicas": 1},
        {"broker": 2, "rack": "a", "up": True, "leaders": 0, "replicas": 1},
        {"broker": 3, "rack": None, "up": False, "leaders": 1, "replicas": 2},
    ]
    assert {"group": "shop.billing", "state": "Stable", "members": 1, "lag": 0, "maxLag": 5} in seen["groups"]
