"""The checks of an audit about share groups, without a broker."""

from __future__ import annotations

from dataclasses import replace

import pytest

from kafka_topology.audit.observing.snapshot import Snapshot
from kafka_topology.audit.registry import subjects
from kafka_topology.audit.subjects.share_groups import SHARE_GROUPS, SUBJECT, share_group_findings
from kafka_topology.cluster.live.groups import NOT_THERE
from kafka_topology.cluster.live.share_groups import LiveShareGroup, ShareOffset, ShareShape
from kafka_topology.cluster.outcomes import Failure, FailureKind
from kafka_topology.topology import Severity, load

TOPOLOGY = """\
version: 1
cluster: {kafka: "4.2"}
ownership: {groups: [shop.]}
topics: {orders: {partitions: 1, replication: 1}}
shareGroups:
  shop.packing: {topics: [orders], members: 2, maxLag: 9, groupConfig: {share.session.timeout.ms: 50s}}
"""
LIVE = LiveShareGroup(
    "shop.packing",
    ShareShape("Stable", 2, ("orders",)),
    offsets={("orders", 0): ShareOffset(7, 0)},
    config={"share.session.timeout.ms": "50000"},
)


@pytest.fixture
def topology(tmp_path):
    (tmp_path / "topology.yaml").write_text(TOPOLOGY)
    found = load(tmp_path / "topology.yaml")
    assert found.topology is not None, found.problems
    return found.topology


def seen(live=LIVE, names=frozenset({"shop.packing", "other"}), waits=None):
    lags = {} if isinstance(live, Failure) else {(live.name, at): each.lag for at, each in live.offsets.items()}
    groups = {"share_groups": {"shop.packing": live}, "share_group_names": names}
    return Snapshot({**groups, "share_lags": lags, "share_waits": waits or {}})


def shaped(**changes):
    return replace(LIVE, shape=replace(LIVE.shape, **changes))


def test_what_equals_the_declaration_is_clean(topology):
    assert list(share_group_findings(topology, seen())) == []


@pytest.mark.parametrize(
    ("check", "severity", "live"),
    [
        ("KTA311", "advice", shaped(state=NOT_THERE, members=0)),
        ("KTA312", "advice", shaped(state="Empty", members=0)),
        ("KTA313", "warning", shaped(members=3)),
        ("KTA314", "error", replace(LIVE, config={})),
        (
            "KTA317",
            "error",
            replace(LIVE, offsets={("orders", 0): ShareOffset(7, 4), ("orders", 1): ShareOffset(7, 6)}),
        ),
        ("KTA316", "error", shaped(state=NOT_THERE, members=0, other_type="classic")),
    ],
)
def test_each_difference_is_one_finding(topology, check, severity, live):
    [finding] = share_group_findings(topology, seen(live))
    assert (finding.id, finding.severity.value, finding.kind) == (check, severity, "shareGroup")
    assert finding.evidence["expected"] != finding.evidence["actual"]


def test_waiting_records_make_an_empty_group_a_warning(topology):
    live = replace(shaped(state="Empty", members=0), offsets={("orders", 0): ShareOffset(2, 5)})
    [finding] = share_group_findings(topology, seen(live))
    assert (finding.id, finding.severity) == ("KTA312", Severity.WARNING)
    assert "5 records wait for it" in finding.message


def test_an_undeclared_share_group_inside_the_ownership(topology):
    [finding] = share_group_findings(topology, seen(names=frozenset({"shop.packing", "shop.stray", "other"})))
    assert (finding.id, finding.resource) == ("KTA315", "shop.stray")


def test_a_cluster_without_share_groups_is_no_finding_and_is_said(topology):
    off = Failure(FailureKind.REJECTED, "describing share group 'shop.packing': share groups are off on this cluster")
    assert list(share_group_findings(topology, seen(off))) == []
    assert list(SHARE_GROUPS.unread(topology, {"shop.packing": off})) == [off.message]
    assert SUBJECT in subjects()
