"""The health of a cluster: what is reported, and what is not."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from types import SimpleNamespace

import pytest
from healthy import GB, NOW, OFFSETS, SOFTWARE, healthy
from tls_listener import listening

from kafka_topology.audit.observing.live_cluster import of_each_broker
from kafka_topology.audit.observing.snapshot import Snapshot, Survey, of_each
from kafka_topology.audit.registry import subjects
from kafka_topology.audit.run import Auditor
from kafka_topology.audit.subjects.health.certificates import Certificates
from kafka_topology.audit.subjects.health.transactions import OpenTransactions
from kafka_topology.audit.survey import survey
from kafka_topology.cluster.attempts import patience
from kafka_topology.cluster.live.certificates import Certificate
from kafka_topology.cluster.live.disks import Disk, LogDir
from kafka_topology.cluster.live.quorum import Follower, Quorum
from kafka_topology.cluster.live.topics import LiveTopic, Placed
from kafka_topology.cluster.live.transactions import OpenTransaction
from kafka_topology.cluster.outcomes import Failure, FailureKind
from kafka_topology.cluster.topics.reassignments import Reassignment
from kafka_topology.topology import Severity, load

TOPOLOGY = """\
version: 1
cluster: {brokers: 3}
topics:
  shop.orders: {partitions: 1, replication: 3}
"""
ORDERS = LiveTopic("shop.orders", "id", 1, 3, placement=(Placed(1, (1, 2, 3), (1, 2, 3)),), min_in_sync=2)
DENIED = Failure(FailureKind.DENIED, "reading it: not allowed")
SILENT = Failure(FailureKind.UNCERTAIN, "describing the controllers: no answer")
DOWN = Follower(follows=False, lag=900, behind=60_000)
MOVING = {("shop.orders", 0): Reassignment(frozenset({3}), frozenset({1}))}


def seen_with(**changes):
    known = {
        **healthy(),
        "brokers": {1: "a", 2: "b", 3: "c"},
        "broker_configs": {
            broker: {"node.id": str(broker), "num.io.threads": "8", "transaction.max.timeout.ms": "900000"}
            for broker in (1, 2, 3)
        },
        "topics": {"shop.orders": ORDERS},
    }
    assert changes.keys() <= known.keys()
    return Snapshot({**known, **changes})


NO_ANSWER = (
    "brokers answer, but no leader of the controller quorum answered in time; expected one: either a majority of the "
    "controllers is down, or their leader hangs or has just changed"
)


@pytest.fixture
def declared(tmp_path):
    def loaded(text=TOPOLOGY):
        (tmp_path / "topology.yaml").write_text(text)
        found = load(tmp_path / "topology.yaml")
        assert found.topology is not None, found.problems
        return found.topology

    return loaded


@pytest.fixture
def findings(declared):
    def found(text=TOPOLOGY, options=None, **changes):
        topology = declared(text)
        return [
            finding
            for subject in subjects()
            if subject.is_health
            for finding in subject.compare(topology, seen_with(**changes), options or {})
        ]

    return found


def offsets(*placement, min_in_sync=1):
    replication = min(len(placed.replicas) for placed in placement)
    topic = replace(OFFSETS, placement=placement, min_in_sync=min_in_sync, replication=replication, most_replicas=None)
    return {"own_topics": {"__consumer_offsets": topic}}


def quorum(*followers, observers=None):
    return {"quorum": Quorum(1, dict(enumerate(followers, 1)), observers or {})}


def disks(*folders):
    return {"disks": {2: Disk(folders)}}


def transactions(**known):
    opened = OpenTransaction(4001, 10, NOW - timedelta(hours=2), epoch=7)
    return {"transactions": OpenTransactions(NOW, {("shop.orders", 0): (replace(opened, **known),)})}


def certificate(days, refused=None):
    shown = Certificate("b1:9093", NOW - timedelta(days=300), NOW + timedelta(days=days), refused)
    return {"certificates": Certificates(NOW, {"b1:9093": shown}, {"b1:9093": 1})}


def configs(**of_broker_2):
    usual = {"num.io.threads": "8"}
    return {"broker_configs": {1: usual, 2: {**usual, **of_broker_2}, 3: usual}}


def software(**of_broker_2):
    return {"software": {1: SOFTWARE, 2: replace(SOFTWARE, **of_broker_2), 3: SOFTWARE}}


def of_all(**changes):
    return {"software": dict.fromkeys((1, 2, 3), replace(SOFTWARE, **changes))}


def features(**known):
    """The highest level that brokers support, and the level in use."""
    supported = {**SOFTWARE.supported, **{name: (0, highest) for name, (highest, _) in known.items()}}
    return {"supported": supported, "levels": {**SOFTWARE.levels, **{name: used for name, (_, used) in known.items()}}}


NEW_GROUPS = "consumerGroups: {shop.billing: {topics: [shop.orders], config: {group.protocol: consumer}}}\n"
SHARING = "shareGroups: {shop.packing: {topics: [shop.orders]}}\n"
PAYING = "producers: {pay: {topics: [shop.orders], transactionalId: pay-}}\n"
RATE = "leader.replication.throttled.rate"
ALL = (1, 2, 3)
CASES = {
    "KTA211 error": (
        offsets(Placed(None, ALL, ()), Placed(1, ALL, ALL)),
        ("__consumer_offsets: 1 partition (0) has no leader; expected one: groups whose offsets are there can neither "
        "join nor commit"),
    ),
    "KTA212 error": (
        offsets(Placed(1, ALL, (1,)), min_in_sync=2),
        ("__consumer_offsets: 1 partition (0) with 1 of 3 replicas in sync; expected at least 2: groups whose offsets "
        "are there can neither join nor commit"),
    ),
    "KTA213 warning": (
        offsets(Placed(1, ALL, (1, 2)), min_in_sync=1),
        "__consumer_offsets: 1 partition (0) with 2 of 3 replicas in sync; expected 3",
    ),
    "KTA214 warning": (
        offsets(Placed(1, (1,), (1,))),
        ("__consumer_offsets has 1 replica on a cluster of 3 brokers; expected 3. If one broker is lost, groups whose "
        "offsets are there can neither join nor commit"),
    ),
    "KTA511 warning": (
        quorum(Follower(), Follower(), Follower(), Follower(), DOWN),
        "voter 5 of the controller quorum does not follow its leader 1: 4 of 5 voters are left; expected 5",
    ),
    "KTA512 warning": (
        quorum(Follower(), Follower(), DOWN),
        ("voter 3 of the controller quorum does not follow its leader 1: 2 of 3 voters are left, and one more loss "
        "stops the cluster; expected 3"),
    ),
    "KTA513 warning": (
        quorum(Follower(), Follower(lag=1200, behind=45_000), Follower()),
        "controller 2 is 45 seconds and 1,200 records behind the metadata log of leader 1; expected at most 30 seconds",
    ),
    "KTA514 error": (
        {"quorum": SILENT},
        NO_ANSWER,
    ),
    "KTA521 advice": (
        {"reassignments": MOVING},
        (
            "1 partition (shop.orders 0 to broker 3 away from 1) is being reassigned, "
            "shop.orders to 2 replicas (declared 3)"
        ),
    ),
    "KTA522 warning": (
        {"reassignments": MOVING, "brokers": {1: "a", 2: "b"}},
        (
            "the reassignment of 1 partition (shop.orders 0 to broker 3 away from 1) waits for broker 3, which is down"
            "; it leads shop.orders to 2 replicas (declared 3)"
        ),
    ),
    "KTA523 warning": (
        configs(**{RATE: "1000000"}),
        f"broker 2 has {RATE} 1MB/s, and nothing is being reassigned; expected no throttle",
    ),
    "KTA531 error": (
        disks(LogDir("/data/a", total=GB, usable=GB), LogDir("/data/b", is_offline=True)),
        "broker 2: log directory /data/b is offline, and the replicas in it are missing; expected all of 2 online",
    ),
    "KTA532 warning": (
        disks(LogDir("/data", total=2**40, usable=2**36)),
        "broker 2: 64.0 GiB of 1.0 TiB are free for /data (6.2%); expected at least 10%",
    ),
    "KTA541 error": (
        transactions(),
        ("shop.orders: a transaction hangs at partition 0, offset 10, of producer 4001 (epoch 7) with an unknown "
        "transactional id, open for 2 hours; expected at most 15 minutes. Readers of committed records wait behind it"),
    ),
    "KTA551 warning": (
        software(supported={**SOFTWARE.supported, "metadata.version": (7, 28)}),
        "brokers 1, 3 run Kafka 4.1, broker 2 runs Kafka 4.2; expected one version",
    ),
    "KTA552 advice": (
        of_all(levels={**SOFTWARE.levels, "metadata.version": 26}),
        "the cluster uses metadata.version 26 (Kafka 4.1), and all brokers support 27 (Kafka 4.1)",
    ),
    "KTA553 advice": (
        of_all(levels={"metadata.version": 27}),
        ("eligible.leader.replicas.version is 0, so replicas that have all committed records cannot take over after an "
        "unclean shutdown; expected 1"),
    ),
    "KTA556 error": (
        {"text": TOPOLOGY + NEW_GROUPS, **of_all(**features(**{"group.version": (1, 0)}))},
        "group.version is 0, and shop.billing uses group.protocol=consumer; expected 1",
    ),
    "KTA557 advice": (
        {"text": TOPOLOGY + PAYING, **of_all(**features(**{"transaction.version": (2, 1)}))},
        "transaction.version is 1, and all brokers support 2; expected 2",
    ),
    "KTA554 warning": (
        configs(**{"num.io.threads": "4", "log.retention.ms": "3600000"}),
        ("broker 2 differs from the others in 2 settings: log.retention.ms is 1h (elsewhere not set), num.io.threads "
        "is 4 (elsewhere 8)"),
    ),
    "KTA555 error": (
        {"topic_configs": {1: {"shop.orders": {}}, 2: {"shop.orders": {"retention.ms": "3600000"}}}},
        "shop.orders: retention.ms is not set on broker 1 and 1h on broker 2; expected one value",
    ),
    "KTA561 warning": (
        certificate(20),
        ("broker 1 (b1:9093): its certificate expires in 20 days, on 2026-03-21 00:00 UTC; expected one that is valid "
        "for at least 30 days"),
    ),
}  # fmt: skip


def test_a_healthy_cluster_has_no_findings(findings):
    assert findings() == []


@pytest.mark.parametrize(("case", "change", "message"), [(case, *rest) for case, rest in CASES.items()], ids=CASES)
def test_each_trouble_is_one_finding(findings, case, change, message):
    [finding] = findings(**change)
    assert (f"{finding.id} {finding.severity.value}", finding.message) == (case, message)
    assert finding.fix
    assert finding.location.file.endswith("topology.yaml")
    [words] = [each.words for each in subjects() if finding.id in {check.id for check in each.checks}]
    assert finding.kind in words
    assert {"expected", "actual"} <= finding.evidence.keys()


def test_every_check_of_health_is_tried():
    made = {check.id for subject in subjects() if subject.is_health for check in subject.checks}
    assert made == {case.split()[0] for case in CASES} | {"KTA533"}


def test_a_broker_that_supports_other_levels_of_a_feature_is_named(findings):
    [finding] = findings(**software(**features(**{"share.version": (1, 0)})))
    assert finding.id == "KTA551"
    assert finding.message == (
        "brokers support different levels of share.version: none on brokers 1, 3, 0 to 1 on broker 2; expected the "
        "same everywhere"
    )


@pytest.mark.parametrize(
    ("text", "levels", "configs", "found"),
    [
        (NEW_GROUPS, {"group.version": (1, 1)}, {}, []),
        (NEW_GROUPS, {}, {}, []),  # brokers that do not know the feature: a rule judges their release
        (NEW_GROUPS.replace("consumer}", "classic}"), {"group.version": (1, 0)}, {}, []),
        (SHARING, {"share.version": (1, 0)}, {}, ["KTA556"]),
        (SHARING, {"share.version": (1, 1)}, {}, []),
        (SHARING, {"share.version": (1, 0)}, {"group.share.enable": "true"}, []),
        (PAYING, {"transaction.version": (2, 2)}, {}, []),
        (PAYING, {"transaction.version": (1, 0)}, {}, []),
        ("", {"transaction.version": (2, 0), "group.version": (1, 0), "share.version": (1, 0)}, {}, []),
    ],
)
def test_features_are_asked_for_only_if_somebody_needs_them(findings, text, levels, configs, found):
    live = {"broker_configs": {1: configs}} if configs else {}
    assert [each.id for each in findings(TOPOLOGY + text, **of_all(**features(**levels)), **live)] == found


def test_topics_of_kafka_that_do_not_exist_yet_are_fine_and_denied_ones_are_said(findings, declared):
    missing = {"own_topics": dict.fromkeys(healthy()["own_topics"], Failure(FailureKind.MISSING, "none"))}
    assert findings(**missing) == []
    [observed] = [each for subject in subjects() for each in subject.reads if each.name == "own_topics"][:1]
    assert list(observed.unread(declared(), missing["own_topics"])) == []
    assert len(list(observed.unread(declared(), {"__consumer_offsets": DENIED}))) == 1


@pytest.mark.parametrize(
    ("placed", "min_in_sync", "brokers", "few"),
    [
        (Placed(1, (1,), (1,)), 1, 1, False),  # nothing better is possible
        (Placed(1, (1,), (1,)), 1, 2, True),
        (Placed(1, (1, 2), (1, 2)), 1, 3, False),
        (Placed(1, (1, 2), (1, 2)), 2, 3, True),
        (Placed(1, ALL, ALL), 3, 3, True),
        (Placed(1, ALL, ALL), 2, 3, False),
    ],
)
def test_too_few_replicas_are_those_that_cannot_lose_a_broker(findings, placed, min_in_sync, brokers, few):
    up = dict.fromkeys(range(1, brokers + 1), None)
    text = TOPOLOGY.replace("brokers: 3", f"brokers: {brokers}")
    found = findings(text, **offsets(placed, min_in_sync=min_in_sync), brokers=up)
    assert [finding.id for finding in found] == (["KTA214"] if few else [])


@pytest.mark.parametrize(("moves", "few"), [({(1, 3)}, False), ({(1, 1)}, True), ({(1, 3), (1, 1)}, True)])
def test_too_few_replicas_are_reported_unless_a_move_adds_them(findings, moves, few):
    alone = replace(OFFSETS, replication=1, placement=(Placed(1, (1,), (1,)),) * 2, moves=frozenset(moves))
    found = findings(own_topics={"__consumer_offsets": alone})
    assert [finding.id for finding in found] == (["KTA214"] if few else [])


def test_the_last_broker_that_a_topic_of_kafka_can_lose_is_said(findings):
    [finding] = findings(**offsets(Placed(1, ALL, (1, 2)), min_in_sync=2))
    assert (finding.id, finding.severity) == ("KTA213", Severity.WARNING)
    assert "If one more broker is lost, groups" in finding.message


def test_a_quorum_that_may_not_be_read_is_not_down(findings):
    assert findings(quorum=DENIED) == []
    assert findings(quorum=SILENT, reached=False) == []  # nobody answers
    # Clients learn of the brokers from the controllers, too.
    assert [finding.id for finding in findings(quorum=SILENT, brokers=SILENT)] == ["KTA514"]


def test_an_observer_that_is_down_is_no_broker_that_is_behind(findings):
    late = Follower(lag=5, behind=100_000)
    assert [f.id for f in findings(**quorum(Follower(), observers={2: late}))] == ["KTA513"]
    assert findings(**quorum(Follower(), observers={9: late})) == []
    assert findings(options={"KTA513": {"age": "5m"}}, **quorum(Follower(), observers={2: late})) == []
    assert findings(**quorum(Follower(), Follower(lag=9, behind=None))) == []  # before Kafka 3.3


@pytest.mark.parametrize(
    ("wanted", "moved", "end"),
    [
        (2, {3}, " is being reassigned, shop.orders to 3 replicas (declared 2)"),
        (3, {3}, " is being reassigned"),
        (2, {3, 4}, " is being reassigned, shop.orders to 4 replicas (declared 2)"),
    ],
)
def test_a_move_to_another_replication_than_the_declared_one_says_it(findings, wanted, moved, end):
    topic = replace(
        ORDERS, replication=2, placement=(Placed(1, (1, 2), (1, 2)),), moves=frozenset({(2, 2 + len(moved))})
    )
    moving = {("shop.orders", 0): Reassignment(frozenset(moved))}
    text = TOPOLOGY.replace("replication: 3", f"replication: {wanted}")
    brokers = {1: "a", 2: "b", 3: "c", 4: "d"}
    [finding] = [each for each in findings(text, reassignments=moving, brokers=brokers, topics={"shop.orders": topic})
                 if each.id == "KTA521"]  # fmt: skip
    assert finding.message.endswith(end)
    assert ("--cancel" in finding.fix) is ("declared" in end)


def test_a_throttle_has_its_reason_while_something_moves_or_that_is_unknown(findings):
    throttled = {
        "topics": {"shop.orders": replace(ORDERS, throttled=("leader.replication.throttled.replicas",))},
        **configs(**{RATE: "5"}),
    }
    assert [f.id for f in findings(**throttled)] == ["KTA523", "KTA523"]
    assert [f.id for f in findings(reassignments=MOVING, **throttled)] == ["KTA521"]
    assert findings(reassignments=DENIED, **throttled) == []


@pytest.mark.parametrize("rates", [{RATE: "5"}, {"leader.replication.throttled.rate": "7", RATE: "5"}])
def test_the_fix_for_a_throttle_on_brokers_names_what_is_set_and_both_places(findings, rates):
    """kafka-configs takes --entity-name or --entity-default: only whoever set it knows which."""
    [finding] = findings(**configs(**rates))
    named = finding.fix.partition("--delete-config ")[2].partition(" ")[0]
    assert set(named.split(",")) == set(rates)
    assert "with --entity-name BROKER for each broker, or with --entity-default if it was set for all" in finding.fix


def test_the_quorum_is_asked_first_so_that_no_other_read_uses_up_its_time(declared, monkeypatch):
    order = []
    monkeypatch.setattr(Survey, "read", lambda _, each: order.append(each.name))
    survey(SimpleNamespace(patient=lambda: None), declared())
    assert order[0] == "quorum"
    assert {"topics", "groups", "brokers"} <= {*order[1:]}


def test_space_counts_against_the_declared_disk_too(findings):
    text = TOPOLOGY.replace("brokers: 3", "brokers: 3, disk: 100GB")
    full = LogDir("/data", total=500 * GB, usable=400 * GB, used=98 * GB)
    [finding] = findings(text, **disks(full))
    assert (finding.id, finding.severity) == ("KTA532", Severity.ERROR)
    assert "1.9 GiB of 100GB are free of the declared disk (2.0%)" in finding.message
    assert findings(text, options={"KTA532": {"free": 1.0, "critical": 0.5}}, **disks(full)) == []
    [finding] = findings(text, **disks(LogDir("/data", total=50 * GB, usable=40 * GB, used=0)))
    assert (finding.id, finding.severity) == ("KTA533", Severity.WARNING)
    assert finding.message == "the disks of broker 2 hold at most 46.6 GiB; expected 100GB"
    assert finding.location.line == 2


def test_folders_of_equal_disks_count_together(findings):
    text = TOPOLOGY.replace("brokers: 3", "brokers: 3, disk: 100GB")
    half = LogDir("/a", total=50 * GB, usable=40 * GB, used=0)
    assert findings(text, **disks(half, replace(half, path="/b"))) == []


def test_brokers_that_do_not_say_how_full_they_are_are_not_fine(declared):
    [observed] = [each for subject in subjects() for each in subject.reads if each.name == "disks"]
    assert len(list(observed.unread(declared(), {1: Disk((LogDir("/a"),))}))) == 1
    assert list(observed.unread(declared(), {1: Disk((LogDir("/a", is_offline=True),))})) == []


def test_a_transaction_within_its_timeout_is_open_and_does_not_hang(findings):
    known = {"transactional_id": "pay", "started": NOW - timedelta(hours=1), "timeout": timedelta(hours=2)}
    [finding] = findings(**transactions(**known))
    assert (finding.id, finding.severity) == ("KTA541", Severity.WARNING)
    assert "transactional id pay, open for 60 minutes; expected at most 15 minutes" in finding.message
    assert findings(options={"KTA541": {"age": "2h"}}, **transactions(**known)) == []
    [finding] = findings(**transactions(**(known | {"timeout": timedelta(minutes=1)})))
    assert (finding.severity, finding.evidence["expected"]) == (Severity.ERROR, 60)
    assert findings(**transactions(last_write=NOW - timedelta(minutes=14))) == []


class Logs:
    """A cluster where every log has an open transaction at its end."""

    def __init__(self, layouts):
        self.replicas = SimpleNamespace(layouts=lambda names: {name: layouts[name] for name in names})
        self.asked = []

    def ends_of(self, partitions):
        return dict.fromkeys(partitions, 11)

    def committed_offsets_at(self, _, partitions):
        return dict.fromkeys(partitions, 10)

    def open_transactions(self, partitions):
        self.asked.extend(sorted(partitions))
        return {each: (OpenTransaction(4001, 10, last_write=NOW - timedelta(hours=2)),) for each in partitions}


def look_for_transactions(declared, layouts):
    text = TOPOLOGY.replace("topics:", "ownership: {topics: [shop.]}\ntopics:", 1)
    names = frozenset({"shop.orders", "other", *layouts})
    seen = {"own_topics": {}, "topics": {"shop.orders": ORDERS}, "topic_names": names}
    logs = Logs(layouts)
    [observed] = [each for subject in subjects() for each in subject.reads if each.name == "transactions"]
    found = observed.take(Survey(logs, declared(text), patience(60), seen))
    return logs.asked, found, list(observed.unread(declared(text), found))


def test_transactions_on_every_topic_of_the_ownership_are_looked_for(declared, findings):
    asked, found, unread = look_for_transactions(declared, {"shop.app-changelog": {0: (1,)}})
    assert (asked[-1], {name for name, _ in asked}) == (
        ("shop.app-changelog", 0),
        {"shop.orders", "shop.app-changelog"},
    )
    assert unread == []
    text = TOPOLOGY.replace("topics:", "ownership: {topics: [shop.]}\ntopics:", 1)
    stray = OpenTransactions(NOW, {each: held for each, held in found.by_partition.items() if "app" in each[0]})
    [finding] = findings(text, transactions=stray)
    assert (finding.id, finding.resource, finding.location.line) == ("KTA541", "shop.app-changelog", 3)


def test_topics_whose_transactions_were_not_looked_at_are_said(declared):
    many = {f"shop.{number:04}": dict.fromkeys(range(10), (1,)) for number in range(102)}
    asked, _, unread = look_for_transactions(declared, many)
    assert len([name for name, _ in asked if name != "shop.orders"]) == 1000
    [said] = unread
    assert "2 undeclared topics inside the ownership (shop.0100, shop.0101): at most 1,000 partitions" in said


def test_brokers_that_allow_longer_transactions_make_them_hang_later(findings):
    longer = {"broker_configs": {1: {"transaction.max.timeout.ms": "10800000"}}}
    [finding] = findings(**transactions(), **longer)
    assert finding.severity is Severity.WARNING


def test_settings_that_belong_to_one_broker_may_differ(findings):
    own = {"listeners": "x", "log.dirs": "y", "listener.name.a.ssl.keystore.location": "z", "ssl.keystore.type": "PEM"}
    assert findings(**configs(**own)) == []
    assert findings(options={"KTA554": {"ignore": ("num.io.threads",)}}, **configs(**{"num.io.threads": "4"})) == []


@pytest.mark.parametrize(
    ("days", "refused", "severity"),
    [(-1, "certificate has expired", "error"), (300, "certificate has expired", "error"), (31, None, None)],
)
def test_when_certificates_expire(findings, days, refused, severity):
    found = findings(**certificate(days, refused))
    assert [finding.severity.value for finding in found] == ([severity] if severity else [])


def test_a_subject_whose_checks_are_all_off_is_not_read(declared):
    off = TOPOLOGY + "rules: {KTA531: {severity: off}, KTA532: {severity: off}, KTA533: {severity: off}}\n"
    [disk] = [each for each in subjects() if any(check.id == "KTA531" for check in each.checks)]
    [topics] = [each for each in subjects() if each.kinds == ("Topic",)]
    assert (disk.is_off(declared()), disk.is_off(declared(off))) == (False, True)
    assert topics.is_off(declared(TOPOLOGY + "rules: {KTA101: {severity: off}}\n")) is False


def test_a_broker_that_leaves_while_it_is_asked_is_not_waited_for(declared):
    """Brokers that are up and do not answer are asked again, until the time is over."""
    listed = iter([{1: None, 2: None}, {1: None}])
    cluster = SimpleNamespace(replicas=SimpleNamespace(brokers=lambda: next(listed)))
    asking = Survey(cluster, declared(), patience(60), {})
    asked = []

    def ask(brokers):
        asked.append(sorted(brokers))
        return {broker: SILENT if broker == 2 else "fine" for broker in brokers}

    found = of_each_broker(asking, ask)
    assert (found[1], found[2].kind, asked) == ("fine", FailureKind.MISSING, [[1, 2]])
    assert asking.seen == {"brokers": {1: None}}  # the other one is missing now
    assert list(of_each("brokers")(declared(), found)) == []


def test_a_cluster_that_nobody_reaches_because_its_certificate_expired(declared, tmp_path):
    now = datetime.now(UTC)
    with listening(tmp_path, now - timedelta(days=9), now - timedelta(days=2)) as (address, authority):
        client = {"bootstrap.servers": address, "security.protocol": "SSL", "ssl.ca.location": str(authority)}
        audited = Auditor(declared(), client, 10).look()
        off = Auditor(declared(TOPOLOGY + "rules: {KTA561: {severity: off}}\n"), client, 10).look()
    [finding] = audited.outcome.findings
    assert (finding.id, finding.severity) == ("KTA561", Severity.ERROR)
    assert f"{address}: its certificate expired 2 days ago, on " in finding.message
    assert (len(audited.could_not_check), off.outcome.findings) == (1, ())
