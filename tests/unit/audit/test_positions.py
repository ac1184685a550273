"""Where groups go on reading, and which records count as waiting there."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from kafka_topology.audit.observing.group_log import GROUPS, LOGS
from kafka_topology.audit.observing.group_waits import WAITS
from kafka_topology.audit.observing.live_topics import TOPICS
from kafka_topology.audit.observing.snapshot import Survey
from kafka_topology.cluster.attempts import patience
from kafka_topology.cluster.live.groups import Committed, GroupShape, LiveGroup
from kafka_topology.cluster.live.topics import LiveTopic, Placed
from kafka_topology.cluster.outcomes import Failure, FailureKind
from kafka_topology.topology import load

FIRST, SECOND = ("orders", 0), ("orders", 1)
BOTH = frozenset({FIRST, SECOND})
STARTS = {FIRST: 10, SECOND: 40}
NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)


class _Logs:
    """Two logs that end at 100 and hold one record for each two offsets."""

    def __init__(self):
        self.survey = self.groups = self
        self.counted, self.asked = [], []

    def offsets_at(self, to, partitions):
        return {each: STARTS[each] if to == "earliest" else 70 for each in partitions}

    def committed_offsets_at(self, _, partitions):
        return dict.fromkeys(partitions, 100)

    def records_after(self, offsets, _, *, committed_only):
        self.counted.append((committed_only, {each: set(at) for each, at in offsets.items()}))
        return {(each, at): (100 - at) // 2 for each, wanted in offsets.items() for at in wanted}

    def oldest_after(self, offsets, *_, **__):
        self.asked += offsets
        return {}


@pytest.fixture
def looked(tmp_path):
    def look(declared, *groups, section="consumerGroups"):
        text = f"version: 1\ntopics:\n  orders: {{partitions: 2, replication: 1}}\n{section}:\n"
        (tmp_path / "topology.yaml").write_text(text + "".join(f"  {each.name}: {{{declared}}}\n" for each in groups))
        found = load(tmp_path / "topology.yaml")
        assert found.topology is not None, found.problems
        placed = LiveTopic("orders", "id", 2, 1, {}, placement=(Placed(1, (1,), (1,)),) * 2)
        seen = {GROUPS.name: {each.name: each for each in groups}, TOPICS.name: {"orders": placed}}
        return Survey(_Logs(), found.topology, patience(1), seen)

    return look


def group(name="billing", members=0, ends=100, **offsets):
    committed = {{"first": FIRST, "second": SECOND}[at]: Committed(offset) for at, offset in offsets.items()}
    return LiveGroup(
        name, GroupShape("Empty", members), BOTH, offsets=committed, ends=dict.fromkeys(BOTH, ends)
    )  # fmt: skip


def test_what_was_deleted_before_the_group_read_it_does_not_wait(looked):
    survey = looked("topics: [orders], maxLag: 10m", group(first=2, second=90))
    log = survey.read(LOGS)["billing"]
    assert log.positions == {FIRST: 10, SECOND: 90}
    assert log.lags == {FIRST: 45, SECOND: 5}
    survey.read(WAITS)
    assert survey.cluster.asked == [(FIRST, 10), (SECOND, 90)]


@pytest.mark.parametrize(
    ("declared", "members", "expected"),
    [
        ("topics: [orders], start: earliest", 0, {FIRST: 5, SECOND: 30}),
        ("topics: [orders], start: '2026-03-01T12:00:00Z'", 0, {FIRST: 5, SECOND: 15}),
        ("topics: [orders], config: {auto.offset.reset: earliest}", 0, {FIRST: 5, SECOND: 30}),
        ("topics: [orders], start: latest", 0, {FIRST: 5}),
        ("topics: [orders]", 0, {FIRST: 5}),
        # Members may have read the other partition without a commit.
        ("topics: [orders], start: earliest", 1, {FIRST: 5}),
    ],
)
def test_without_an_offset_records_wait_from_the_declared_start_on(looked, declared, members, expected):
    assert looked(declared, group(members=members, first=90)).read(LOGS)["billing"].lags == expected


@pytest.mark.parametrize(
    ("config", "expected"),
    [("", {FIRST: 45, SECOND: 30}), (", config: {consumer.auto.offset.reset: latest}", {})],
)
def test_streams_applications_begin_at_the_earliest_record(looked, config, expected):
    survey = looked(f"reads: [orders]{config}", group(), section="streams")
    assert survey.read(LOGS)["billing"].lags == expected


@pytest.mark.parametrize("limit", ["", ", maxLag: 10m", ", maxLag: 10", ", maxLag: 1000"])
@pytest.mark.parametrize("isolation", ["", ", config: {isolation.level: read_committed}"])
def test_records_are_counted_alike_whatever_the_limit(looked, limit, isolation):
    survey = looked(f"topics: [orders]{isolation}{limit}", group(first=20, second=96))
    log = survey.read(LOGS)["billing"]
    assert (log.lags, log.uncounted) == ({FIRST: 40, SECOND: 2}, frozenset())
    assert survey.cluster.counted == [(bool(isolation), {FIRST: {20}, SECOND: {96}})]


def test_offsets_are_shown_where_there_are_too_many_to_look_at(looked):
    careful = "topics: [orders], config: {isolation.level: read_committed}"
    survey = looked(careful, group(first=20, second=96))
    survey.cluster.committed_offsets_at = lambda _, partitions: {
        each: 5_000 if each == FIRST else Failure(FailureKind.DENIED, "not allowed") for each in partitions
    }
    log = survey.read(LOGS)["billing"]
    assert (log.lags, log.uncounted, log.unread) == ({FIRST: 4_980}, {FIRST}, {SECOND})
