"""Each reason of a preflight that needs no cluster of its own: a bad case with its message, and a good one without."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, cast

import pytest

from kafka_topology import __version__
from kafka_topology.audit.observing.live_cluster import BROKERS
from kafka_topology.audit.observing.live_topics import TOPIC_NAMES, TOPICS
from kafka_topology.audit.observing.snapshot import Snapshot
from kafka_topology.audit.subjects.health.disks import DISKS
from kafka_topology.audit.subjects.health.versions import SOFTWARE
from kafka_topology.cluster.live.disks import Disk, LogDir
from kafka_topology.cluster.live.features import Software
from kafka_topology.cluster.outcomes import Failure, FailureKind
from kafka_topology.preflight.deployed import Deployed
from kafka_topology.preflight.facts import Facts
from kafka_topology.preflight.requests import Asked, Request
from kafka_topology.preflight.steps import brokers, removals, room, versions
from kafka_topology.topology import Severity, load
from kafka_topology.validators import Outcome

TOPOLOGY = """\
version: 1
cluster: {kafka: "4.1", brokers: 3, limits: {partitionsPerBroker: 10}}
topics:
  shop.orders: {partitions: 6, replication: 3, throughput: {average: 1KB/s}, retention: 1d}
  shop.unknown: {partitions: 1, replication: 3}
"""
ROOMY = Disk((LogDir("/a", total=10**12, usable=10**12),))
LEVELS = {"4.0": 24, "4.1": 26, "4.2": 28}


@pytest.fixture
def facts(tmp_path):
    file = tmp_path / "topology.yaml"
    file.write_text(TOPOLOGY)
    topology = load(file).topology
    assert topology is not None

    def known(
        *requests: Request,
        kafka: tuple[str, ...] = ("4.1",),
        deployed: Deployed | None = None,
        held: Any = None,
        disk: Disk = ROOMY,
    ) -> Facts:
        software = {n: Software({"metadata.version": (7, LEVELS[each])}) for n, each in enumerate(kafka)}
        seen = {
            BROKERS.name: {0: "", 1: "", 2: ""}, TOPICS.name: {}, TOPIC_NAMES.name: (),
            DISKS.name: dict.fromkeys(range(3), disk),
            SOFTWARE.name: software,
        }  # fmt: skip
        survey = SimpleNamespace(replicas_by_broker=lambda: dict.fromkeys(range(3), 0) if held is None else held)
        return Facts(
            topology,
            Outcome((), (), (), frozenset()),
            deployed,
            cluster=cast("Any", SimpleNamespace(survey=survey)),
            live=Snapshot(seen),
            asked_for=Asked({each.key: each for each in requests}, most_deletions=10),
        )

    return known


def new(name: str, *failures: Failure) -> Request:
    return Request(("Topic", name), "create", {"name": name}, failures=failures)


def found(looked: Any) -> list[tuple[str, Severity, str]]:
    return [(each.id, each.severity, each.message) for each in looked.findings]


@pytest.mark.parametrize(("kind", "rule"), [(FailureKind.REFUSED, "KTP102"), (FailureKind.REJECTED, "KTP101")])
def test_what_the_provider_or_the_brokers_refuse(facts, kind, rule):
    looked = brokers.look(facts(new("shop.orders", Failure(kind, "partitions cannot shrink from 9 to 6"))))
    assert found(looked) == [(rule, Severity.ERROR, "shop.orders: partitions cannot shrink from 9 to 6")]
    assert (looked.findings[0].resource, looked.unread) == ("shop.orders", ())
    assert found(brokers.look(facts(new("shop.orders")))) == []


@pytest.mark.parametrize("kind", [FailureKind.UNCERTAIN, FailureKind.UNREACHABLE])
def test_what_nobody_answered_is_no_refusal_and_no_yes(facts, kind):
    looked = brokers.look(facts(new("shop.orders", Failure(kind, "no answer"))))
    assert (found(looked), looked.unread) == ([], ("no answer",))


def test_more_partitions_than_a_broker_may_hold(facts):
    looked = room.look(facts(new("shop.orders"), held={0: 4, 1: 5, 2: 0}))
    assert found(looked) == [
        (
            "KTP402",
            Severity.ERROR,
            "broker 1 holds 5 partition replicas, and about 6 would be added; expected at most 10",
        )
    ]
    assert looked.findings[0].location.line == 2
    denied = room.look(facts(new("shop.orders"), held=Failure(FailureKind.DENIED, "may not describe topics")))
    assert (found(denied), denied.unread) == ([], ("may not describe topics",))


def test_a_new_topic_of_unknown_size(facts):
    looked = room.look(facts(new("shop.unknown")))
    message = "the size of 1 new topic is unknown (shop.unknown): it declares neither throughput nor retention.bytes"
    assert found(looked) == [("KTP403", Severity.ADVICE, message)]
    assert found(room.look(facts(new("shop.orders")))) == []


def test_a_disk_that_is_too_small(facts):
    looked = room.look(facts(new("shop.orders"), disk=Disk((LogDir("/a", total=100, usable=50),))))
    assert [each[0] for each in found(looked)] == ["KTP401"] * 3


@pytest.mark.parametrize(
    ("kafka", "expected"),
    [
        (("4.1", "4.1"), []),
        (
            ("4.1", "4.0"),
            [("KTP601", Severity.ERROR, "the brokers run Kafka 4.0; expected 4.1, which `cluster.kafka` declares")],
        ),
        (("4.2",), [("KTP602", Severity.WARNING, "the brokers run Kafka 4.2; `cluster.kafka` declares 4.1")]),
        ((), []),
    ],
)
def test_brokers_of_another_version(facts, kafka, expected):
    assert found(versions.look(facts(kafka=kafka))) == expected


def test_a_state_that_a_newer_provider_wrote(facts):
    newer = versions.look(facts(deployed=Deployed("the state of the stack prod", provider="99.0.0")))
    message = f"kafka-topology 99.0.0 deployed the state of the stack prod; this is {__version__}"
    assert found(newer) == [("KTP603", Severity.ERROR, message)]
    for same in (__version__, None, "0.0.1"):
        assert found(versions.look(facts(deployed=Deployed("the state", provider=same)))) == []


def test_a_run_that_was_killed(facts):
    looked = versions.look(facts(deployed=Deployed("the stack prod", unfinished=("shop.a", "shop.b"))))
    message = "the last run on the stack prod was killed while it worked on shop.a, shop.b"
    assert [(rule, severity) for rule, severity, _ in found(looked)] == [("KTP604", Severity.WARNING)]
    assert found(looked)[0][2].replace(" and ", ", ") == message


def test_a_removal_that_the_provider_refuses(facts):
    kept = Failure(FailureKind.REFUSED, "shop.old is being written by producer 7 to partition 0 in an open transaction")
    gone = Request(("Topic", "shop.old"), "delete", {"name": "shop.old"}, failures=(kept,))
    looked = removals.look(facts(gone, deployed=Deployed("HEAD")))
    assert found(looked)[0][:2] == ("KTP201", Severity.ERROR)
    assert "is being written by producer 7" in found(looked)[0][2]
