"""What a preview says about a group's inputs, and where its offsets go, without any cluster."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from kafka_topology.cluster.live.groups import Committed, GroupShape, LiveGroup
from kafka_topology.provider.plugin.properties import UNKNOWN
from kafka_topology.provider.resources.any_group.inputs import Reset
from kafka_topology.provider.resources.any_group.plan import lag_warnings
from kafka_topology.provider.resources.group import inputs as groups
from kafka_topology.provider.resources.group import plan as plans
from kafka_topology.provider.resources.group.inputs import DeclaredGroup
from kafka_topology.provider.resources.group.plan import OffsetMove

OLD = {"name": "g", "topics": ["a", "b"], "start": "earliest", "deletion": "protected"}


def reasons(new, old=OLD, owned=None):
    return {failure.property: failure.reason for failure in groups.GROUP_INPUTS.check("g", old, new, owned).failures}


def changed(new, old=OLD):
    return {change.path for change in groups.GROUP_INPUTS.diff(old, new)}


def test_the_name_defaults_to_the_resource_and_deletion_to_protected():
    checked = groups.GROUP_INPUTS.check("g", {}, {"config": {"consumer.session.timeout.ms": 50000}}, None)
    assert checked.failures == ()
    assert checked.inputs == {
        "name": "g",
        "deletion": "protected",
        "config": {"consumer.session.timeout.ms": "50000"},
    }


@pytest.mark.parametrize(
    ("change", "property_name", "words"),
    [
        ({"name": "h"}, "name", "its offsets belong to its name"),
        ({"topics": "a"}, "topics", "not a list of topic names"),
        ({"assign": {"a": "0"}}, 'assign["a"]', "not a list of partitions"),
        ({"start": "yesterday"}, "start", "none of earliest, latest and a moment"),
        ({"reset": {"to": "earliest"}}, "reset", "'token'"),
        ({"reset": {"to": "soon", "token": "1"}}, "reset.to", "none of earliest"),
        ({"reset": {"to": "latest", "token": ""}}, "reset.token", "give any"),
        ({"maxLag": -1}, "maxLag", "at least 0"),
        ({"deletion": "maybe"}, "deletion", "not one of"),
        ({"startt": "latest"}, "startt", "Did you mean 'start'?"),
    ],
)
def test_what_is_wrong_is_refused_with_a_reason(change, property_name, words):
    found = reasons({**OLD, **change})
    assert words in found[property_name]


def test_unknown_values_are_no_mistake():
    unknown = dict.fromkeys(("topics", "start", "maxLag", "reset", "assign"), UNKNOWN)
    assert reasons({**OLD, **unknown}) == {}


def test_a_reset_needs_a_new_token():
    old = {**OLD, "reset": {"to": "earliest", "token": "1"}}
    assert "Change the token too" in reasons({**OLD, "reset": {"to": "latest", "token": "1"}}, old)["reset.token"]
    assert reasons({**OLD, "reset": {"to": "latest", "token": "2"}}, old) == {}


def test_order_and_writing_are_no_change_and_what_an_import_cannot_bring_neither():
    assert changed({**OLD, "topics": ["b", "a"]}) == set()
    moment = {**OLD, "start": "2026-05-01T02:00:00+02:00"}
    assert changed({**OLD, "start": "2026-05-01T00:00:00Z"}, moment) == set()
    assert changed(OLD, {"name": "g", "topics": ["a", "b"], "deletion": "protected"}) == set()
    assert changed({**OLD, "reset": {"to": "latest", "token": "1"}, "topics": ["a"]}) == {"reset", "topics"}


def test_inputs_become_a_declaration():
    parsed = groups.parse({**OLD, "assign": {"c": [1]}, "reset": {"to": "2026-05-01T00:00:00", "token": "t"}})
    assert parsed.reads == {"a": None, "b": None, "c": (1,)}
    assert parsed.reset == Reset(datetime(2026, 5, 1, tzinfo=UTC), "t")
    assert plans.partitions_read(parsed, {"a": 2, "c": 3}) == {("a", 0), ("a", 1), ("c", 1)}


DECLARED = DeclaredGroup("g", {"a": None}, start="earliest", reset=Reset("latest", "1"), max_lag=5)
BOTH = frozenset({("a", 0), ("a", 1)})


def live(**offsets):
    committed = {("a", int(key[1:])): value for key, value in offsets.items()}
    return LiveGroup("g", GroupShape("Empty"), BOTH, offsets=committed, ends={("a", 0): 10, ("a", 1): 10})


def test_a_new_group_starts_where_it_is_declared():
    assert plans.plan_start(DECLARED, live()) == OffsetMove("earliest", BOTH, plans.START_MARK)


def test_an_offset_of_the_groups_own_stops_the_start_and_one_of_ours_lets_it_go_on():
    assert plans.plan_start(DECLARED, live(p0=Committed(3))) is None
    interrupted = live(p0=Committed(0, plans.START_MARK))
    assert plans.plan_start(DECLARED, interrupted) == OffsetMove("earliest", frozenset({("a", 1)}), plans.START_MARK)


def test_a_group_with_members_is_left_alone():
    running = LiveGroup("g", GroupShape("Stable", 2), BOTH)
    assert plans.plan_start(DECLARED, running) is None
    assert "has 2 members" in (plans.why_not_reset(DECLARED, running) or "")
    assert "has 2 members" in (plans.why_not_delete(DECLARED, running) or "")


def test_a_reset_is_done_once():
    reset = DECLARED.reset
    mark = plans.reset_mark(reset)
    assert plans.plan_reset(reset, live(p0=Committed(3))) == OffsetMove("latest", BOTH, mark)
    done = live(p0=Committed(10, mark), p1=Committed(12))  # the second was read on since
    assert plans.plan_reset(reset, done) is None
    assert plans.plan_reset(reset, done, failed=[("a", 1)]) == OffsetMove("latest", frozenset({("a", 1)}), mark)


def test_lag_is_counted_over_committed_partitions_and_compared():
    assert live().lag is None
    behind = live(p0=Committed(4))
    assert behind.lag == 6
    assert "6 records behind, more than its maxLag of 5" in lag_warnings("group 'g'", DECLARED, behind)[0]
    assert lag_warnings("group 'g'", DECLARED, live(p0=Committed(5))) == ()
