"""The pure core of an audit: what is declared against what was seen, without a broker."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from types import SimpleNamespace

import pytest
from healthy import healthy

from kafka_topology.audit.compare import audit
from kafka_topology.audit.observing.group_log import GroupLog
from kafka_topology.audit.observing.group_waits import HeldBack
from kafka_topology.audit.observing.snapshot import Snapshot
from kafka_topology.audit.observing.waits import Waits
from kafka_topology.audit.picture import picture
from kafka_topology.audit.registry import checks, subjects
from kafka_topology.audit.rules import audit_rules
from kafka_topology.audit.subjects.quotas import QUOTAS, quota_findings
from kafka_topology.cluster.live.access import Acl
from kafka_topology.cluster.live.groups import Committed, GroupShape, LiveGroup
from kafka_topology.cluster.live.quorum import Follower, Quorum
from kafka_topology.cluster.live.quotas import Entity
from kafka_topology.cluster.live.topics import LiveTopic, Placed
from kafka_topology.cluster.outcomes import Failure, FailureKind, unanswered
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
LOG = GroupLog(starts=dict.fromkeys(READ, 0), lags=dict.fromkeys(READ, 0))
NOW = datetime(2026, 3, 1, tzinfo=UTC)
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
        **healthy(),
        brokers={1: "a", 2: "a", 3: "b"},
        topics={"shop.orders": ORDERS},
        topic_names=frozenset({"shop.orders", "shop.enrich-store-changelog", "other"}),
        application_topics={},
        groups={"shop.billing": BILLING, "shop.enrich": replace(BILLING, name="shop.enrich")},
        group_names=frozenset({"shop.billing", "shop.enrich", "other"}),
        logs={"shop.billing": LOG, "shop.enrich": LOG},
        share_groups={},
        share_group_names=frozenset(),
        share_lags={},
        waits={},
        held_back={},
        share_waits={},
        acls=frozenset(acls),
        users={"shop-checkout": {"SCRAM-SHA-512": 8192}, "other": {"SCRAM-SHA-512": 4096}},
        quotas={Entity("shop-checkout"): {"producer_byte_rate": 1e6}, Entity("other"): {"request_percentage": 1.0}},
        broker_configs={broker: {"min.insync.replicas": "1"} for broker in (1, 2, 3)},
        internal_topics={},
        internal_topic_names=None,
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


def logs(**changes):
    return {"logs": {"shop.billing": replace(LOG, **changes), "shop.enrich": LOG}}


SLOW = {"producer_byte_rate": 1000.0}
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
    "KTA208": orders(min_in_sync=3),
    "KTA205": orders(placement=(Placed(1, (1, 2), (1, 2)), PLACED)),
    "KTA206": orders(placement=(Placed(3, (1, 3), (1, 3)), PLACED)),
    "KTA207": orders(placement=BY_ONE),
    "KTA302": billing(shape=GroupShape("Empty", 0)),
    "KTA303": billing(offsets={("shop.orders", 0): Committed(7)}),
    "KTA304": logs(lags=dict.fromkeys(READ, 3)),
    "KTA305": billing(shape=GroupShape("Stable", 2)),
    "KTA306": billing(shape=GroupShape("Stable", 1, idle=1)),
    "KTA309": logs(starts=dict.fromkeys(READ, 9)),
    "KTA320": {"held_back": {"shop.billing": HeldBack({("shop.orders", 0): 6}, Waits(NOW))}},
    "KTA310": billing(ends=dict.fromkeys(READ, 3)),
    "KTA321": billing(shape=GroupShape(other_type="share"), offsets={}),
    "KTA308": {"group_names": frozenset({"shop.billing", "shop.stray"})},
    "KTA401": {"acls": frozenset()},
    "KTA411": {"users": {"shop-checkout": {}}},
    "KTA413": {"users": {"shop-checkout": {"SCRAM-SHA-512": 1, "SCRAM-SHA-256": 1}}},
    "KTA421": {"quotas": {}},
    "KTA422": {"quotas": {Entity("shop-checkout"): {"producer_byte_rate": 1e6, "request_percentage": 1.0}}},
    "KTA423": {"quotas": {Entity("shop-checkout"): {"producer_byte_rate": 1e6}, Entity("default"): {"x": 1.0, **SLOW}}},
    "KTA501": {"brokers": {1: "a", 3: "b"}},
    "KTA502": {"brokers": {1: "a", 2: "a", 3: "c"}},
    "KTA503": {"broker_configs": {1: {"min.insync.replicas": "2"}, 2: {"min.insync.replicas": "1"}}},
    "KTA504": {"quorum": Quorum(1, {1: Follower()})},
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


def test_nobody_is_told_to_delete_a_topic_that_an_application_keeps(topology, live):
    names = frozenset({"shop.orders", "shop.connect-offsets", "shop.stray"})
    owners = {"shop.connect-offsets": "Kafka Connect"}
    mine, stray = audit(topology, seeing(live, topic_names=names, application_topics=owners)).findings
    assert (mine.severity, stray.severity) == (Severity.ADVICE, Severity.WARNING)
    assert mine.message.endswith("and is not declared: Kafka Connect creates and changes it")
    assert mine.fix == "leave it to Kafka Connect, or narrow the ownership"
    assert stray.fix == "declare it, or delete it if nothing uses it"


def test_a_group_that_nobody_has_used_is_an_error_only_with_a_declared_start(load_text, live):
    unused = {"shop.billing": LiveGroup("shop.billing"), "shop.enrich": replace(BILLING, name="shop.enrich")}
    seen = seeing(live, groups=unused)
    [finding] = audit(load_text(), seen).findings
    assert (finding.id, finding.severity) == ("KTA301", Severity.ADVICE)
    [finding] = audit(load_text(TOPOLOGY.replace("maxLag: 5", "start: earliest")), seen).findings
    assert (finding.id, finding.severity) == ("KTA301", Severity.ERROR)


def test_idle_members_are_those_without_a_partition_whatever_their_number(load_text, live):
    """Two members that read a topic of one partition each leave a third one idle, if its topic has one partition."""
    topology = load_text(TOPOLOGY.replace("members: 1, ", ""))
    found = audit(topology, seeing(live, **billing(shape=GroupShape("Stable", 2, idle=1))))
    assert ids(found) == ["KTA306"]
    assert "1 of the 2 members of shop.billing has no partition" in found.findings[0].message
    assert ids(audit(topology, seeing(live, **billing(shape=GroupShape("Stable", 3))))) == []


@pytest.mark.parametrize(
    ("shape", "actual"),
    [
        (GroupShape(other_type="share"), "share"),
        (GroupShape("Stable", 2, assignor="range"), "consumer"),
        (GroupShape("Stable", 2, assignor="stream"), None),
        (GroupShape("PreparingRebalance", 2), None),  # they have not agreed yet
        (GroupShape("Empty", assignor="range"), None),  # an instance may join
    ],
)
def test_a_streams_application_whose_id_another_type_of_group_has(topology, live, shape, actual):
    groups = {**live.seen["groups"], "shop.enrich": replace(BILLING, name="shop.enrich", shape=shape)}
    found = [each for each in audit(topology, seeing(live, groups=groups)).findings if each.id != "KTA302"]
    assert [(each.id, each.severity, each.evidence["actual"]) for each in found] == (
        [("KTA321", Severity.ERROR, actual)] if actual else []
    )
    if actual:
        assert found[0].message == f"shop.enrich is a {actual} group on the cluster; expected a streams application"


def test_a_declared_id_is_not_undeclared_because_the_cluster_has_another_type_of_it(load_text, live):
    shared = "shareGroups: {shop.packing: {topics: [shop.orders]}}\n"
    topology = load_text(TOPOLOGY.replace("  brokers:", '  kafka: "4.2"\n  brokers:') + shared)
    seen = seeing(
        live,
        group_names=live.seen["group_names"] | {"shop.packing"},
        share_group_names=frozenset({"shop.billing", "shop.enrich", "shop.packing"}),
    )
    assert {"KTA308", "KTA315"}.isdisjoint(ids(audit(topology, seen)))


def test_a_group_whose_members_do_not_subscribe_to_the_topic_is_not_blamed_for_its_commits(topology, live):
    elsewhere = billing(shape=GroupShape("Stable", 1, topics=frozenset({"other"})), offsets={})
    [finding] = audit(topology, seeing(live, **elsewhere)).findings
    assert finding.id == "KTA303"
    assert finding.message == (
        "no member of shop.billing has a partition of shop.orders, which holds records, and the group has committed no "
        "offset there; expected a subscription to it"
    )
    assert finding.fix.startswith("subscribe its consumers to shop.orders")
    reading = billing(shape=GroupShape("Stable", 1, topics=frozenset({"shop.orders"})), offsets={})
    [finding] = audit(topology, seeing(live, **reading)).findings
    assert "has committed no offset on 2 of 2 partitions that it reads" in finding.message


def test_a_partition_without_records_needs_no_offset(topology, live):
    """It was never written, or everything in it was deleted."""
    silent = billing(offsets={("shop.orders", 0): Committed(7)})
    assert ids(audit(topology, seeing(live, **silent))) == ["KTA303"]
    emptied = logs(starts={("shop.orders", 0): 0, ("shop.orders", 1): 7})
    assert ids(audit(topology, seeing(live, **silent, **emptied))) == []


@pytest.mark.parametrize(
    ("offsets", "shape", "reported"),
    [
        (Committed(7), GroupShape("Empty", is_simple=True), False),  # a consumer that assigns its partitions itself
        (Committed(7, "kafka-topology start"), GroupShape("Empty", is_simple=True), True),  # nobody has started yet
        (Committed(7), GroupShape("Empty"), True),  # its members have left
    ],
)
def test_a_group_that_nobody_joins_is_empty_only_if_nobody_commits_for_it(load_text, live, offsets, shape, reported):
    topology = load_text(TOPOLOGY.replace("members: 1, ", ""))
    seen = seeing(live, **billing(shape=shape, offsets=dict.fromkeys(READ, offsets)))
    assert ids(audit(topology, seen)) == (["KTA302"] if reported else [])


def test_a_group_that_declares_members_is_empty_whoever_commits_for_it(topology, live):
    """`kafka-consumer-groups --reset-offsets` commits like a consumer that never joins."""
    simple = billing(shape=GroupShape("Empty", is_simple=True))
    [finding] = audit(topology, seeing(live, **simple, **logs(lags=dict.fromkeys(READ, 2)))).findings
    assert (finding.id, finding.severity, finding.evidence["expected"]) == ("KTA302", Severity.WARNING, 1)
    assert finding.message == "shop.billing is empty: it has no members, and 4 records wait for it; expected 1"


def test_a_streams_application_always_joins_its_group(topology, live):
    moved = replace(BILLING, name="shop.enrich", shape=GroupShape("Empty", is_simple=True))
    [finding] = audit(topology, seeing(live, groups={"shop.billing": BILLING, "shop.enrich": moved})).findings
    assert (finding.id, finding.resource) == ("KTA302", "shop.enrich")


def test_records_wait_for_a_group_that_does_not_exist(load_text, live):
    unused = {"shop.billing": LiveGroup("shop.billing"), "shop.enrich": replace(BILLING, name="shop.enrich")}
    seen = seeing(live, groups=unused, **logs(lags=dict.fromkeys(READ, 2)))
    [missing] = audit(load_text(), seen).findings
    assert (missing.id, missing.severity) == ("KTA301", Severity.WARNING)
    assert missing.message.endswith("no member has joined it yet, and 4 records wait for it")
    strict = TOPOLOGY.replace("maxLag: 5", "start: earliest, maxLag: 3")
    missing, late = audit(load_text(strict), seen).findings
    assert (missing.id, late.id) == ("KTA301", "KTA304")
    assert "its declared start is not committed, and 4 records wait for it; expected a group" in missing.message


def test_a_group_that_declares_its_partitions_has_no_members(load_text, live):
    topology = load_text(TOPOLOGY.replace("{topics: [shop.orders], members: 1", "{assign: {shop.orders: [0, 1]}"))
    assert ids(audit(topology, seeing(live, **billing(shape=GroupShape("Empty", 0))))) == []


def test_offsets_that_could_not_be_read_are_said(topology, live):
    found = audit(topology, seeing(live, **logs(unread=frozenset({("shop.orders", 1)}))))
    what = "reading the offsets of 1 partition that shop.billing reads (shop.orders 1)"
    assert (ids(found), found.unread) == ([], (f"{what}: no answer, so its lag there is unknown",))


def test_records_that_were_deleted_before_they_were_read(topology, live):
    [finding] = audit(topology, seeing(live, **logs(starts={("shop.orders", 0): 10, ("shop.orders", 1): 7}))).findings
    assert finding.message.startswith("Kafka deleted up to 3 records of shop.orders 0 before shop.billing read them;")


def test_replicas_in_sync_count_for_each_partition_if_their_number_is_uneven(topology, live):
    """Kafka asks partition 0, which has one replica, for one, and partition 1 for two."""
    uneven = (Placed(3, (3,), (3,)), Placed(3, (3, 1), (3,)))
    seen = seeing(live, **orders(placement=uneven, min_in_sync=2, replication=1, most_replicas=2))
    by_rule = {finding.id: finding for finding in audit(topology, seen).findings}
    assert by_rule.keys() == {"KTA103", "KTA202", "KTA208"}
    assert by_rule["KTA202"].evidence["partitions"] == [1]
    assert by_rule["KTA202"].message == (
        "shop.orders: 1 partition (1) with 1 of 2 replicas in sync; expected at least 2"
    )
    assert by_rule["KTA208"].message == (
        "shop.orders: min.insync.replicas is 2 with 1 replica on 1 partition (0), and Kafka counts with 1 there; "
        "expected at most 1"
    )


def test_kafka_asks_for_no_more_replicas_in_sync_than_there_are(topology, live):
    """Two replicas, both in sync, and min.insync.replicas 3: writers go on. With one of them, they do not."""
    assert ids(audit(topology, seeing(live, **orders(min_in_sync=3)))) == ["KTA208"]
    below = orders(placement=(Placed(1, (1, 3), (1,)), PLACED), min_in_sync=3)
    [stopped, above] = audit(topology, seeing(live, **below)).findings
    assert {stopped.id, above.id} == {"KTA202", "KTA208"}
    assert any("expected at least 2" in finding.message for finding in (stopped, above))


@pytest.mark.parametrize(
    ("declared", "config", "clean"),
    [
        ("log.retention.ms: 7d", {"log.retention.hours": "168"}, True),
        ("log.retention.hours: 168", {"log.retention.hours": "168"}, True),
        ("log.retention.hours: 168", {"log.retention.hours": "168", "log.retention.ms": WEEK}, True),
        ("log.retention.hours: 168", {"log.retention.hours": "168", "log.retention.minutes": "60"}, False),
        ("log.retention.ms: 7d", {"log.retention.hours": "24"}, False),
        ("log.retention.ms: 7d", {}, False),
        ("log.retention.ms: 7d, log.retention.hours: 1", {"log.retention.ms": WEEK, "log.retention.hours": "1"}, True),
        ("log.flush.scheduler.interval.ms: 5", {"log.flush.interval.ms": "9"}, False),
    ],
)
def test_a_setting_of_brokers_counts_by_any_of_its_names(load_text, live, declared, config, clean):
    topology = load_text(TOPOLOGY.replace("{min.insync.replicas: 1}", f"{{{declared}}}"))
    found = audit(topology, seeing(live, broker_configs={1: config}))
    assert ids(found) == ([] if clean else ["KTA503"])


def test_while_replicas_are_copied_their_number_is_no_drift(topology, live):
    for settled, target in ((1, 2), (3, 2)):
        moving = orders(replication=settled, moves=frozenset({(settled, target)}))
        assert ids(audit(topology, seeing(live, **moving))) == []
    done = orders(replication=1, most_replicas=2, moves=frozenset({(1, 2), (2, 2)}))
    assert ids(audit(topology, seeing(live, **done))) == []


@pytest.mark.parametrize("moves", [{(1, 1)}, {(1, 1), (1, 2)}, {(1, 3)}])
def test_a_move_that_does_not_lead_to_the_declaration_hides_no_drift(topology, live, moves):
    """It may be stuck for weeks, and what is there has too few replicas in any case."""
    moving = orders(replication=1, moves=frozenset(moves))
    [finding] = audit(topology, seeing(live, **moving)).findings
    assert (finding.id, finding.evidence["actual"]) == ("KTA103", 1)


def test_while_replicas_are_copied_nobody_asks_for_the_preferred_leader(topology, live):
    """The first replica of the target may not have the records yet, so that no election could choose it."""
    led_elsewhere = (Placed(3, (1, 3), (1, 3)), PLACED)
    assert ids(audit(topology, seeing(live, **orders(placement=led_elsewhere, moves=frozenset({(2, 2)}))))) == []


def test_a_throttle_that_was_left_behind_and_uneven_partitions_hide_no_drift(topology, live):
    assert ids(
        audit(topology, seeing(live, **orders(replication=1, throttled=("leader.replication.throttled.replicas",))))
    ) == ["KTA103", "KTA523"]
    assert "KTA523" not in ids(
        audit(
            topology,
            seeing(live, **orders(throttled=("leader.replication.throttled.replicas",), moves=frozenset({(2, 2)}))),
        )
    )
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


@pytest.mark.parametrize(
    ("acl", "refused"),
    [
        (outsider("*", "Write", principal="User:*"), True),
        (outsider("*", "All", principal="User:shop-checkout"), True),
        (outsider("sh", "Write", pattern="prefixed", principal="User:*"), True),
        (outsider("shop.orders", "Describe", principal="User:shop-checkout"), True),
        (outsider("shop.orders", "Read", principal="User:*"), False),  # nobody with a principal reads it
        (outsider("other.", "Write", pattern="prefixed", principal="User:*"), False),
        (replace(outsider("other", "Write", principal="User:*"), host="10.0.0.1"), False),
    ],
)
def test_a_denial_that_refuses_declared_clients_names_them(topology, live, acl, refused):
    found = audit(topology, seeing(live, acls=live.seen["acls"] | {replace(acl, permission="deny")}))
    assert [f.id for f in found.findings if f.id != "KTA402"] == (["KTA404"] if refused else [])
    for finding in found.findings:
        if finding.id == "KTA404":
            assert "producer checkout" in finding.message
            assert finding.evidence["refused"] == ["User:shop-checkout"]


def test_a_denial_for_one_host_is_a_warning_that_names_the_host(topology, live):
    acl = replace(outsider("*", "Write", principal="User:*"), permission="deny", host="10.0.0.1")
    [finding] = audit(topology, seeing(live, acls=live.seen["acls"] | {acl})).findings
    assert (finding.id, finding.severity) == ("KTA404", Severity.WARNING)
    assert "which refuses what the files declare to clients on the host 10.0.0.1: producer checkout" in finding.message
    everywhere = audit(topology, seeing(live, acls=live.seen["acls"] | {replace(acl, host="*")})).findings
    assert [(each.id, each.severity) for each in everywhere] == [("KTA404", Severity.ERROR)]


def test_access_that_a_broader_acl_gives_refuses_nobody(topology, live):
    broad = outsider("shop.", "All", pattern="prefixed", principal="User:shop-checkout")
    found = audit(topology, seeing(live, acls=frozenset({broad})))
    [missing] = [finding for finding in found.findings if finding.id == "KTA401"]
    assert missing.severity is Severity.WARNING
    assert missing.message.endswith("broader access on the cluster covers it")


def test_a_principal_that_is_only_denied_is_not_declared_for_a_private_topic(load_text, live):
    text = TOPOLOGY + "acls: [{principal: 'User:x', topic: shop.orders, operations: [Write], permission: deny}]\n"
    topology = load_text(text.replace("    partitions: 2\n", "    partitions: 2\n    visibility: private\n"))
    declared = {Acl(g.principal, g.resource, g.name, g.operation, g.pattern, g.host, g.permission)
                for g in derived_acls(topology)}  # fmt: skip
    found = audit(topology, seeing(live, acls=frozenset({*declared, outsider("*")})))
    assert ids(found) == ["KTA403"]


PRIVATE = TOPOLOGY.replace("    partitions: 2\n", "    partitions: 2\n    visibility: private\n")
PREFIX = {"pattern": "prefixed", "principal": "User:x"}


def denied(acl):
    return replace(acl, permission="deny")


@pytest.mark.parametrize(
    ("deny", "opened"),
    [
        (outsider("shop.", "All", **PREFIX), None),
        (outsider("shop.orders", "Read", principal="User:*"), "Write"),
        (outsider("shop.orders.", "All", **PREFIX), "Read, Write"),
        (outsider("*", "All", principal="User:y"), "Read, Write"),
        (replace(outsider("shop.", "All", **PREFIX), host="10.0.0.1"), "Read, Write"),
    ],
)
def test_a_private_topic_is_open_only_as_far_as_no_deny_keeps_it_closed(load_text, live, deny, opened):
    given = {outsider("*"), outsider("*", "Write"), denied(deny)}
    found = audit(load_text(PRIVATE), seeing(live, acls=live.seen["acls"] | given))
    messages = [each.message for each in found.findings if each.id == "KTA403"]
    assert messages == ([f"User:x has: allow {opened} on topic '*', which opens private topics to it: shop.orders"]
                        if opened else [])  # fmt: skip


def test_everything_but_what_is_denied_opens_a_private_topic(load_text, live):
    given = {outsider("*", "All"), *(denied(outsider("shop.", each, **PREFIX)) for each in ("Read", "Write"))}
    found = audit(load_text(PRIVATE), seeing(live, acls=live.seen["acls"] | given))
    [message] = [each.message for each in found.findings if each.id == "KTA403"]
    assert "allow Alter, AlterConfigs, Delete on topic '*'" in message


def test_an_undeclared_deny_says_from_what_it_protects(topology, live):
    given = {outsider("*"), outsider("else"), denied(outsider("shop.", "All", **PREFIX))}
    [finding] = audit(topology, seeing(live, acls=live.seen["acls"] | given)).findings
    assert finding.id == "KTA402"
    assert finding.message == (
        "User:x is denied access inside the ownership, and that is not declared: deny All on topic 'shop.*'; "
        "it takes away from User:x: allow Read on topic '*'"
    )
    assert finding.fix.endswith("remove it if those that it keeps out may have this access")


@pytest.mark.parametrize(
    ("live_deny", "severity"),
    [
        (outsider("shop.", "All", **PREFIX), Severity.WARNING),
        (outsider("*", "Write", principal="User:*"), Severity.WARNING),
        (outsider("shop.orders", "Read"), Severity.ERROR),
        (outsider("shop.orders", "Write", principal="User:y"), Severity.ERROR),
    ],
)
def test_a_missing_deny_that_a_broader_deny_covers_is_a_warning(load_text, live, live_deny, severity):
    topology = load_text(TOPOLOGY + "acls: [{principal: 'User:x', topic: shop.orders, operations: [Write], "
                         "permission: deny}]\n")  # fmt: skip
    found = audit(topology, seeing(live, acls=live.seen["acls"] | {denied(live_deny)}))
    [missing] = [each for each in found.findings if each.id == "KTA401"]
    assert missing.severity is severity
    assert missing.message.endswith("a broader deny on the cluster covers it") is (severity is Severity.WARNING)


ANALYTICS = """\
acls:
  - {principal: "User:a", topic: logs., pattern: prefixed, operations: [All]}
  - {principal: "User:a", topic: "*", operations: [Read]}
"""


@pytest.mark.parametrize(
    ("deny", "refused"),
    [
        (Acl("User:p", "transactional-id", "pay-eu-", "Write", "prefixed"), "User:p"),
        (Acl("User:p", "transactional-id", "pay-eu-1", "Write"), "User:p"),
        (Acl("User:p", "transactional-id", "other-", "Write", "prefixed"), None),
        (Acl("User:s", "topic", "shop.enrich-store-", "Write", "prefixed"), "User:s"),
        (Acl("User:s", "topic", "shop.enrich-store-changelog", "Write"), "User:s"),
        (Acl("User:s", "transactional-id", "shop.enrich-1", "Write", "prefixed"), "User:s"),
        (Acl("User:a", "topic", "logs.web.", "Read", "prefixed"), "User:a"),  # a part of All
        (Acl("User:a", "topic", "other", "Read"), "User:a"),
        (Acl("User:a", "topic", "other", "Write"), None),
    ],
)
def test_a_denial_of_a_part_of_what_is_declared_refuses_it(load_text, live, deny, refused):
    text = TOPOLOGY.replace(
        '"User:shop-checkout", topics: [shop.orders]', '"User:p", topics: [shop.orders], transactionalId: pay-'
    ).replace("{reads: [shop.orders]}", '{principal: "User:s", reads: [shop.orders], delivery: exactly-once}')
    topology = load_text(text + ANALYTICS)
    declared = {Acl(g.principal, g.resource, g.name, g.operation, g.pattern, g.host) for g in derived_acls(topology)}
    found = audit(topology, seeing(live, acls=frozenset({*declared, denied(deny)})))
    access = [(each.id, each.severity, each.evidence["refused"]) for each in found.findings if each.id == "KTA404"]
    assert access == ([("KTA404", Severity.ERROR, [refused])] if refused else [])


def test_who_may_use_the_transactional_id_of_a_producer_is_declared(load_text, live):
    topology = load_text(TOPOLOGY.replace("topics: [shop.orders]}", "topics: [shop.orders], transactionalId: pay}", 1))
    declared = {Acl(g.principal, g.resource, g.name, g.operation, g.pattern, g.host) for g in derived_acls(topology)}
    stray = outsider("pay", "Write", resource="transactional-id")
    other = outsider("else", "Write", resource="transactional-id")
    found = audit(topology, seeing(live, acls=frozenset({*declared, stray, other})))
    assert ids(found) == ["KTA402"]
    assert found.findings[0].message == (
        "User:x has access to transactional ids of declared clients that is not declared: "
        "allow Write on transactional-id 'pay'"
    )


@pytest.mark.parametrize(
    ("acl", "check"),
    [
        (outsider("*", "Write"), "KTA405"),
        (outsider("*", "All"), "KTA405"),
        (outsider("pa", "Write", pattern="prefixed"), "KTA405"),
        (outsider("*", "Write", principal="User:*"), "KTA405"),
        (outsider("pay-7", "Write"), "KTA402"),
        (outsider("*", "Write", principal="User:shop-new"), "KTA402"),
        (outsider("pa", "Write", pattern="prefixed", principal="User:payer"), None),  # its own
        (outsider("pa", "Describe", pattern="prefixed"), None),  # fences nobody out
        (outsider("else", "Write", pattern="prefixed"), None),
    ],
)
def test_access_that_lets_others_fence_out_a_declared_producer(load_text, live, acl, check):
    text = TOPOLOGY.replace('"User:shop-checkout", topics: [shop.orders]', '"User:payer", topics: [shop.orders]')
    topology = load_text(text.replace("topics: [shop.orders]}", "topics: [shop.orders], transactionalId: pay-}", 1))
    declared = {Acl(g.principal, g.resource, g.name, g.operation, g.pattern, g.host) for g in derived_acls(topology)}
    given = replace(acl, resource="transactional-id")
    found = audit(topology, seeing(live, acls=frozenset({*declared, given})))
    assert ids(found) == ([check] if check else [])
    kept_out = replace(given, name="pay-", pattern="prefixed", permission="deny", operation="Write")
    assert "KTA405" not in ids(audit(topology, seeing(live, acls=frozenset({*declared, given, kept_out}))))
    if check == "KTA405":
        partly = frozenset({*declared, given, replace(kept_out, principal="User:z", name="pay-eu-")})
        assert "KTA405" in ids(audit(topology, seeing(live, acls=partly)))
        assert found.findings[0].message.endswith("lets it fence out declared clients: pay- of User:payer")
        assert found.findings[0].resource == given.principal


@pytest.mark.parametrize(
    ("entity", "whom"),
    [
        (Entity("default"), "every user without a quota of its own"),
        (Entity("default", "default"), "every user with every client id without a quota of its own"),
        (Entity("default", "nightly"), "every user with the client id nightly without a quota of its own"),
        (Entity(None, "default"), "every client id without a quota of its own"),
        (Entity(None, "nightly"), "the client id nightly, which checkout has"),
        (Entity(None, "daily"), None),
        (Entity("other", "nightly"), None),
    ],
)
def test_an_undeclared_quota_that_limits_everybody(load_text, live, entity, whom):
    topology = load_text(
        TOPOLOGY.replace("topics: [shop.orders]}", "topics: [shop.orders], config: {client.id: nightly}}", 1)
    )
    found = audit(topology, seeing(live, quotas={**live.seen["quotas"], entity: SLOW}))
    messages = [f"the quota of {entity.id} limits {whom}: producerByteRate 1,000 on each broker; it is not declared"]
    assert [(each.id, each.severity) for each in found.findings] == ([("KTA423", Severity.ADVICE)] if whom else [])
    assert [each.message for each in found.findings] == (messages if whom else [])


ROLE = """\
version: 1
cluster: {brokers: 3}
topics: {orders: {partitions: 1, replication: 1}}
producers: {web: {principal: "User:web", topics: [orders]%s}}
"""
RATE = {"producer_byte_rate": 1000.0}


@pytest.mark.parametrize(
    ("client_id", "closer", "entity", "reported"),
    [
        (None, {}, Entity("default"), True),
        (None, {Entity("web"): RATE}, Entity("default"), False),  # the fix of the finding
        (None, {Entity("web"): {"consumer_byte_rate": 1.0}}, Entity("default"), True),  # another limit
        (None, {Entity("web", "default"): RATE}, Entity("default"), False),
        (None, {Entity("web", "nightly"): RATE}, Entity("default"), True),  # it may have another client id
        ("nightly", {Entity("web", "nightly"): RATE}, Entity("default"), False),
        (None, {Entity("web"): RATE}, Entity("default", "default"), False),
        (None, {Entity("web"): RATE}, Entity(None, "default"), False),
        ("nightly", {Entity("web"): RATE}, Entity(None, "nightly"), False),
        ("nightly", {Entity("other"): RATE}, Entity(None, "nightly"), True),
        ("nightly", {}, Entity("default", "daily"), False),  # nobody declared has that client id
    ],
)
def test_a_quota_that_no_declared_client_can_reach_is_no_finding(load_text, client_id, closer, entity, reported):
    topology = load_text(ROLE % (f", config: {{client.id: {client_id}}}" if client_id else ""))
    found = list(quota_findings(topology, snapshot(quotas={**closer, entity: RATE})))
    assert [(each.id, each.resource) for each in found] == ([("KTA423", entity.id)] if reported else [])


def test_quotas_for_everybody_are_read_wherever_a_client_is_declared(load_text):
    asked = SimpleNamespace(
        topology=load_text(ROLE % ""),
        patient=SimpleNamespace(one=lambda ask: ask()),
        cluster=SimpleNamespace(security=SimpleNamespace(quotas=SimpleNamespace(describe_quotas=dict))),
    )
    assert QUOTAS.take(asked) == {}
    assert list(QUOTAS.unread(asked.topology, FAILED)) == [FAILED.message]
    # The files say nothing of quotas, and this cluster has none.
    assert list(QUOTAS.unread(asked.topology, replace(FAILED, kind=FailureKind.REJECTED))) == []


def test_the_default_user_is_no_user_inside_the_ownership(load_text, live):
    topology = load_text(TOPOLOGY.replace('"User:shop-"]', '"User:"]'))
    quotas = {Entity("shop-checkout"): {"producer_byte_rate": 1e6}, Entity("default"): SLOW}
    assert ids(audit(topology, seeing(live, quotas=quotas, users={"shop-checkout": {"SCRAM-SHA-512": 8192}}))) == [
        "KTA423"
    ]


def test_a_quota_for_everybody_that_is_declared_is_no_surprise(load_text, live):
    everybody = "  - {user: default, producerByteRate: 1000B/s}\n"
    quotas = {**live.seen["quotas"], Entity("default"): SLOW}
    text = (TOPOLOGY + everybody).replace(', principals: ["User:shop-"]', "")
    assert [each for each in ids(audit(load_text(text), seeing(live, quotas=quotas))) if each.startswith("KTA42")] == []


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


@pytest.mark.parametrize(
    "part", ["brokers", "topic_names", "group_names", "acls", "users", "quotas", "quorum", "reassignments"]
)
def test_what_could_not_be_read_is_said_and_is_no_finding(topology, live, part):
    found = audit(topology, seeing(live, **{part: FAILED}))
    assert (found.findings, found.unread) == ((), (FAILED.message,))


def test_names_that_nobody_can_see_are_spelled_out(topology, live):
    names = live.seen["group_names"] | {"shop.a\nb\x1b[2J"}
    [found] = audit(topology, seeing(live, group_names=names)).findings
    assert found.message.startswith("shop.a\\nb\\x1b[2J is on the cluster")
    assert found.resource == "shop.a\nb\x1b[2J"
    failed = Failure(FailureKind.DENIED, "describing group 'a\nerror: forged': no")
    assert audit(topology, seeing(live, users=failed)).unread == ("describing group 'a\\nerror: forged': no",)


def test_the_same_failure_of_many_is_reported_once(topology, live):
    seen = seeing(live, groups=dict.fromkeys(live.seen["groups"], FAILED), topics={"shop.orders": FAILED})
    names = ", ".join(sorted(live.seen["groups"]))
    assert audit(topology, seen).unread == (FAILED.message, f"reading 2 groups ({names}): {FAILED.message}")


def test_two_reads_that_fail_for_one_reason_are_said_once(topology, live):
    silent = unanswered("describing the cluster", "no answer within 3 s")
    assert audit(topology, seeing(live, quorum=silent, reassignments=silent)).unread == (silent.message,)


def test_many_failures_are_one_sentence_with_their_number_and_the_first_names(topology, live):
    names = [f"g{number}" for number in range(9)]
    silent = {name: unanswered(f"describing group '{name}'", "timed out", ["b2:9092"]) for name in names}
    [said] = audit(topology, seeing(live, groups=silent)).unread
    assert said == (
        "reading 9 groups (g0, g1, g2 and 6 more): timed out. The broker at b2:9092 does not answer: check the broker, "
        "and run the command again."
    )


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


@pytest.mark.parametrize(
    ("change", "may_pass"),
    [
        ({"acls": FAILED}, False),
        ({"acls": replace(FAILED, kind=FailureKind.UNCERTAIN)}, True),
        ({"topics": {"shop.orders": FAILED}}, False),
        ({"topics": {"shop.orders": replace(FAILED, kind=FailureKind.UNREACHABLE)}}, True),
        (logs(unread=READ), True),
        ({}, False),
    ],
)
def test_a_later_look_may_read_what_nobody_answered_but_not_what_was_refused(topology, live, change, may_pass):
    found = audit(topology, seeing(live, **change))
    assert (found.may_pass, bool(found.unread)) == (may_pass, bool(change))


def test_every_check_is_documented_and_tried():
    shared = {f"KTA31{number}" for number in range(1, 8)}  # in test_share_groups.py
    streams = {"KTA601", "KTA602", "KTA603"}
    others = {"KTA301", "KTA307", "KTA402", "KTA403", "KTA404", "KTA405", "KTA412"}  # below, and on a cluster
    health = {check.id for subject in subjects() if subject.is_health for check in subject.checks}  # in test_health.py
    covered = {*CASES, *shared, *streams, *others, *health}
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
    billing = next(each for each in seen["groups"] if each["group"] == "shop.billing")
    assert (billing["state"], billing["members"], billing["lag"], billing["maxLag"]) == ("Stable", 1, 0, 5)


STREAMS = TOPOLOGY.replace(
    "  shop.enrich: {reads: [shop.orders]}\n",
    "  shop.enrich:\n    reads: [shop.orders]\n    instances: 2\n    threads: 2\n    maxLag: 5\n"
    "    internalTopics: {replication: 2, topics: [shop.enrich-store-changelog]}\n",
)
STORE = "shop.enrich-store-changelog"


@pytest.fixture
def streams(load_text, live):
    """A streams application that runs as declared."""
    topology = load_text(STREAMS)
    enrich = replace(BILLING, name="shop.enrich", shape=GroupShape("Stable", 4))
    seen = seeing(
        live,
        groups={**live.seen["groups"], "shop.enrich": enrich},
        internal_topics={STORE: replace(ORDERS, name=STORE)},
        internal_topic_names=frozenset({"shop.orders", STORE, "other"}),
    )
    return topology, seen


def test_a_streams_application_as_declared_has_no_findings(streams):
    topology, live = streams
    assert [finding.id for finding in audit(topology, live).findings] == []


@pytest.mark.parametrize(
    ("changes", "found"),
    [
        (
            {"internal_topics": {STORE: Failure(FailureKind.MISSING, "gone")}},
            ("KTA601", 23, "its internal topic shop.enrich-store-changelog is not on the cluster"),
        ),
        (
            {"internal_topics": {STORE: replace(ORDERS, name=STORE, replication=1)}},
            ("KTA602", 23, "internal topic shop.enrich-store-changelog has 1 replicas; expected 2"),
        ),
        (
            {"internal_topic_names": frozenset({STORE, "shop.enrich-old-repartition", "shop.enrichment"})},
            ("KTA603", 23, "not declared as internal: shop.enrich-old-repartition"),
        ),
    ],
)
def test_internal_topics_that_differ(streams, changes, found):
    topology, live = streams
    (finding,) = audit(topology, seeing(live, **changes)).findings
    rule, line, message = found
    assert (finding.id, finding.location.line, finding.kind) == (rule, line, "streams")
    assert message in finding.message


@pytest.mark.parametrize(("target", "found"), [(2, []), (1, ["KTA602"]), (3, ["KTA602"])])
def test_an_internal_topic_differs_unless_it_is_moved_to_what_is_declared(streams, target, found):
    topology, live = streams
    moving = replace(ORDERS, name=STORE, replication=1, moves=frozenset({(1, target)}))
    assert ids(audit(topology, seeing(live, internal_topics={STORE: moving}))) == found


def test_threads_and_lag_of_a_streams_application(streams):
    topology, live = streams
    groups = live.seen["groups"]
    fewer = replace(groups["shop.enrich"], shape=GroupShape("Stable", 2))
    behind = replace(LOG, lags=dict.fromkeys(READ, 10))
    seen = seeing(live, groups={**groups, "shop.enrich": fewer}, logs={**live.seen["logs"], "shop.enrich": behind})
    findings = audit(topology, seen).findings
    assert [(each.id, each.location.line) for each in findings] == [("KTA305", 20), ("KTA304", 22)]
    assert "has 2 threads in its group; expected 4, of 2 instances" in findings[0].message
    assert "shop.enrich is 20 records behind" in findings[1].message


def test_internal_topics_that_could_not_be_read_are_not_fine(streams):
    topology, live = streams
    seen = seeing(live, internal_topics={STORE: FAILED}, internal_topic_names=replace(FAILED, message="other"))
    unread = audit(topology, seen).unread
    assert len(unread) == 2
