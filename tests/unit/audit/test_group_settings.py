"""What is judged of a group whose settings the principal may not read."""

from __future__ import annotations

from types import SimpleNamespace

from kafka_topology.audit.observing.group_settings import WithoutSettings, unread_groups
from kafka_topology.cluster.live.groups import Committed, GroupShape, LiveGroup
from kafka_topology.cluster.outcomes import Failure, FailureKind
from kafka_topology.cluster.privileges import not_allowed

DENIED = not_allowed("reading the config of group 'billing'")
BROKEN = Failure(FailureKind.UNCERTAIN, "no answer")


def admin(**configs):
    return WithoutSettings(SimpleNamespace(group_configs=lambda names: {name: configs[name] for name in names}))


def test_denied_settings_are_none_and_other_failures_stay():
    lenient = admin(billing=DENIED, audit=BROKEN, emails={"a": "b"})
    assert lenient.group_configs(["billing", "audit", "emails"]) == {
        "billing": {},
        "audit": BROKEN,
        "emails": {"a": "b"},
    }
    assert lenient.denied == {"billing": DENIED}


def test_a_group_that_exists_is_judged_without_its_settings():
    lenient = admin(billing=DENIED)
    lenient.group_configs(["billing"])
    live = LiveGroup("billing", offsets={("orders", 0): Committed(1)})
    [judged] = lenient.judged({"billing": live}).values()
    assert (judged.offsets, judged.unread_config) == (live.offsets, DENIED)


def test_a_group_that_may_have_settings_alone_is_unknown():
    lenient = admin(billing=DENIED)
    lenient.group_configs(["billing"])
    assert lenient.judged({"billing": LiveGroup("billing")}) == {"billing": DENIED}


def test_settings_are_missing_only_where_some_are_declared():
    groups = {name: LiveGroup(name, GroupShape("Empty"), unread_config=DENIED) for name in ("billing", "emails")}
    said = [*unread_groups("groups", lambda _: {"billing"})(None, groups)]
    assert said == [DENIED.message]
    assert "it needs DescribeConfigs on the group" in said[0]
