"""How long records wait for a group, and what an open transaction keeps from it."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from kafka_topology.audit.observing.group_log import GroupLog
from kafka_topology.audit.observing.group_waits import HELD_BACK, WAITS, HeldBack
from kafka_topology.audit.observing.live_topics import TOPICS
from kafka_topology.audit.observing.snapshot import Snapshot
from kafka_topology.audit.observing.waits import MOST_READ, MOST_SHOWN, Position, Waits, read_waits
from kafka_topology.audit.subjects.positions import position_findings
from kafka_topology.audit.subjects.share_groups import SHARE_LAGS, SHARE_WAITS, share_group_findings
from kafka_topology.cluster.live.groups import Committed, GroupShape, LiveGroup
from kafka_topology.cluster.live.share_groups import LiveShareGroup, ShareOffset, ShareShape
from kafka_topology.cluster.live.topics import LiveTopic, Placed
from kafka_topology.cluster.live.transactions import OpenTransaction
from kafka_topology.cluster.outcomes import Failure, FailureKind
from kafka_topology.topology import load
from kafka_topology.topology.model.units import span_text

NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)
FIRST, SECOND = ("orders", 0), ("orders", 1)
GROUP = LiveGroup(
    "billing", GroupShape("Stable", 1), frozenset({FIRST, SECOND}), offsets={FIRST: Committed(3), SECOND: Committed(3)}
)
LOG = GroupLog(lags={FIRST: 4, SECOND: 900})


@pytest.fixture
def declared(tmp_path):
    def text(limit, section="consumerGroups", name="billing"):
        file = tmp_path / "topology.yaml"
        file.write_text(
            "version: 1\ntopics:\n  orders: {partitions: 2, replication: 1}\n"
            f"{section}:\n  {name}: {{topics: [orders], maxLag: {limit}}}\n"
        )
        found = load(file)
        assert found.topology is not None, found.problems
        return found.topology

    return text


def waits(**minutes):
    oldest = {
        {"first": FIRST, "second": SECOND}[at]: NOW - timedelta(minutes=age)
        for at, age in minutes.items()
    }  # fmt: skip
    return Waits(NOW, oldest)


def findings(topology, log=LOG, waiting=None, held=None):
    seen = {"groups": {"billing": GROUP}, "logs": {"billing": log}, "waits": {"billing": waiting or Waits(NOW)}}
    return list(position_findings(topology, Snapshot({**seen, "held_back": {"billing": held} if held else {}})))


def test_a_lag_in_time_names_the_partition_that_waits_longest(declared):
    [finding] = findings(declared("10m"), waiting=waits(first=14, second=3))
    assert finding.id == "KTA304"
    assert finding.message == (
        "billing has not read a record of orders 0 that is 14m old, 4 records behind; expected at most 10m"
    )
    assert finding.evidence["seconds"] == {"orders 0": 840.0, "orders 1": 180.0}
    assert finding.evidence["partitions"] == {"orders 0": 4, "orders 1": 900}
    assert "1 other partition waits too long" in findings(declared("1m"), waiting=waits(first=14, second=3))[0].message


def test_a_lag_that_counts_aborted_records_does_not_claim_to_be_exact(declared):
    log = replace(LOG, uncounted=frozenset({SECOND}))
    [finding] = findings(declared(10), log)
    assert finding.message.startswith("billing is up to 904 records behind, 900 of them on orders 1")
    assert findings(declared(10))[0].message.startswith("billing is 904 records behind")
    [finding] = findings(declared("10m"), log, waiting=waits(second=14))
    assert "that is 14m old, up to 900 records behind" in finding.message


def test_many_records_are_no_lag_in_time_and_old_ones_no_lag_in_records(declared):
    assert findings(declared("10m"), waiting=waits(first=10, second=3)) == []
    assert findings(declared(904), waiting=waits(first=1400)) == []
    [finding] = findings(declared(903), waiting=waits(first=1500))
    assert "904 records behind, 900 of them on orders 1, the oldest 1d 1h old; expected at most 903" in finding.message


def test_a_record_from_the_future_has_just_been_written(declared):
    assert findings(declared("0s"), waiting=Waits(NOW, {FIRST: NOW + timedelta(hours=1)})) == []


@pytest.mark.parametrize("of", [WAITS, SHARE_WAITS])
def test_a_time_that_could_not_be_read_is_said_where_it_is_limited(declared, of):
    unread = {"billing": Waits(NOW, {SECOND: NOW}, frozenset({FIRST}))}
    [reason] = of.unread(declared("10m"), unread)
    assert reason.startswith("reading the oldest record that waits for billing on 1 partition (orders 0): how long")
    assert reason.endswith("has Read on the topic, and that no quota throttles its reads")
    assert list(of.unread(declared(10), unread)) == []


def test_an_open_transaction_is_said_to_be_what_holds_a_group_back(declared):
    mine = OpenTransaction(41, 7, transactional_id="checkout-1")
    held = HeldBack({FIRST: 6}, waits(first=14), {FIRST: (mine,)})
    none = GroupLog(lags={FIRST: 0, SECOND: 0})
    [finding] = findings(declared("10m"), log=none, held=held)
    assert finding.id == "KTA320"
    assert finding.message == (
        "billing reads committed records, and an open transaction of producer 41 (checkout-1) holds back 6 offsets "
        "from it for 14m, first on orders 0; expected at most 10m"
    )
    assert findings(declared("15m"), log=none, held=held) == []
    assert findings(declared(6), log=none, held=held) == []
    [finding] = findings(declared(5), log=none, held=HeldBack({FIRST: 6}, Waits(NOW), {FIRST: _DENIED}))
    assert "an open transaction holds back 6 offsets from it, first on orders 0; expected at most 5" in finding.message


_DENIED = Failure(FailureKind.DENIED, "looking for producers: not allowed")


def test_what_is_held_back_for_an_unknown_time_could_not_be_checked(declared):
    held = HeldBack({FIRST: 6}, Waits(NOW, unread=frozenset({FIRST})))
    assert findings(declared("10m"), held=held) == []
    assert len(list(HELD_BACK.unread(declared("10m"), {"billing": held}))) == 1


def test_share_groups_have_a_lag_in_time(declared):
    live = LiveShareGroup("packing", ShareShape("Stable", 1), offsets={FIRST: ShareOffset(3, 4)})
    seen = Snapshot(
        {
            "share_groups": {"packing": live},
            SHARE_LAGS.name: {("packing", FIRST): 4},
            SHARE_WAITS.name: {"packing": waits(first=14)},
            "share_group_names": None,
        }
    )
    [finding] = share_group_findings(declared("10m", "shareGroups", "packing"), seen)
    assert (finding.id, finding.message) == (
        "KTA317", "packing is 4 records behind, the oldest 14m old; expected at most 10m",
    )  # fmt: skip
    assert list(share_group_findings(declared("15m", "shareGroups", "packing"), seen)) == []


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(0, "0s"), (0.4, "0s"), (59, "59s"), (61, "1m 1s"), (3600, "1h"), (90061, "1d 1h"), (86400 * 9 + 5, "9d")],
)
def test_spans_have_the_two_largest_units(seconds, text):
    assert span_text(timedelta(seconds=seconds)) == text


class _Reading:
    """A cluster that notes which records it is asked for."""

    def __init__(self, partitions):
        self.asked = []
        self.survey = self
        self.cluster = self
        self.placed = LiveTopic("orders", "id", partitions, 1, {}, placement=(Placed(1, (1,), (1,)),) * partitions)

    def read(self, observation):
        assert observation is TOPICS
        return {"orders": self.placed}

    def oldest_after(self, offsets, leaders, _now, *, committed_only):
        assert leaders.keys() >= {partition for partition, _ in offsets}
        self.asked += [(committed_only, *each) for each in offsets]
        return dict.fromkeys(offsets, NOW)


def test_records_are_read_once_and_not_too_many_of_them():
    cluster = _Reading(2_000)
    everywhere = {("orders", number): 7 for number in range(2_000)}
    positions = {"timed": Position(everywhere), "also": Position(everywhere), "free": Position(everywhere, True)}
    found = read_waits(cluster, positions, {"timed", "also"})
    assert Counter(only for only, *_ in cluster.asked) == {False: MOST_READ, True: MOST_SHOWN}
    assert len(found["timed"].oldest) == MOST_READ
    assert found["timed"].unread == everywhere.keys() - found["timed"].oldest.keys()
    assert len(found["free"].oldest) == MOST_SHOWN
