"""A declared topic against a live one, as plain objects."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta

from kafka_topology.cluster.live.topics import ConfigChange, LiveTopic, TopicContents, Writer
from kafka_topology.provider.resources.topic.inputs import DeclaredTopic
from kafka_topology.provider.resources.topic.plan import (
    TopicPlan,
    differences,
    is_applied,
    left_over_throttle,
    plan_update,
    unmanaged,
    why_not_delete,
    why_protected,
)
from kafka_topology.provider.resources.topic.usage import Usage

DECLARED = DeclaredTopic("shop.orders", 6, 3, {"retention.ms": "60000"}, deletion="allowed")
LIVE = LiveTopic("shop.orders", "id-1", 6, 3, {"retention.ms": "60000"})
NOW = datetime(2026, 1, 2, 4, 0, tzinfo=UTC)


def test_only_what_is_declared_is_compared():
    live = replace(LIVE, config={"retention.ms": "60000", "segment.bytes": "1"})
    assert differences(DECLARED, live) == ()
    assert unmanaged(DECLARED, live) == ("segment.bytes",)


def test_each_difference_names_both_values():
    live = replace(LIVE, partitions=3, replication=1, config={})
    assert differences(DECLARED, live) == (
        "partitions: declared 6, live 3",
        "replication: declared 3, live 1",
        "retention.ms: declared 60000, live not set",
    )


def test_an_equal_topic_needs_nothing():
    assert plan_update({"retention.ms"}, DECLARED, LIVE) == TopicPlan()


def test_the_plan_adds_partitions_sets_configs_and_resets_what_is_no_longer_declared():
    live = replace(LIVE, partitions=3, config={"cleanup.policy": "compact", "foreign": "1"})
    plan = plan_update({"cleanup.policy", "gone.already"}, DECLARED, live)
    assert plan == TopicPlan(
        partitions=6,
        config=ConfigChange(set={"retention.ms": "60000"}, reset=frozenset({"cleanup.policy"})),
    )
    assert not is_applied(plan, live)
    assert is_applied(plan, replace(LIVE, config={"retention.ms": "60000", "foreign": "1"}))


def test_a_live_topic_with_more_partitions_is_left_alone():
    refusal = plan_update((), DECLARED, replace(LIVE, partitions=12)).refusal
    assert refusal is not None
    assert "has 12 partitions on the cluster and 6 are declared" in refusal


def why(declared=DECLARED, topic_id="id-1", live=LIVE, **used):
    return why_not_delete(declared, topic_id, live, Usage(**used), NOW) or ""


def test_an_empty_topic_without_readers_may_go():
    assert why() == ""


def test_readers_records_another_topic_and_internals_stop_a_deletion():
    last = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)
    assert "read by group 'billing'" in why(readers=("group 'billing'",))
    assert "up to 7 records, the last written at 2026-01-02T03:04:05+00:00" in why(contents=TopicContents(7, last))
    assert "created again outside this stack" in why(topic_id="id-0")
    assert "Kafka's own" in why(live=replace(LIVE, internal=True))


def test_a_producer_of_an_empty_topic_stops_a_deletion_while_it_is_recent():
    lately, long_ago = NOW - timedelta(minutes=59), NOW - timedelta(minutes=61)
    reason = why(writers=(Writer(0, 41, long_ago), Writer(3, 42, lately)))
    assert "just written, by producer 42 to partition 3 at 2026-01-02T03:01:00+00:00" in reason
    assert "'deletion: force'" in reason
    assert why(writers=(Writer(0, 41, long_ago), Writer(0, 43))) == ""
    assert "open transaction" in why(writers=(Writer(0, 41, long_ago, in_transaction=True),))
    assert "3 records came while it was checked" in why(grown=3)
    assert why(writers=None) == ""


def test_force_passes_readers_and_records_but_nothing_else():
    forced = replace(DECLARED, deletion="force")
    assert why(forced, readers=("group 'billing'",), contents=TopicContents(7)) == ""
    assert "created again" in why(forced, topic_id="id-0")
    assert "Kafka's own" in why(forced, live=replace(LIVE, internal=True))


def test_protection_says_how_to_lift_it():
    assert why_protected(DECLARED) is None
    assert "deletion: allowed" in (why_protected(replace(DECLARED, deletion="protected")) or "")


def test_a_left_over_throttle_is_reported():
    assert left_over_throttle(LIVE) == ()
    throttled = replace(LIVE, throttled=("leader.replication.throttled.replicas",))
    assert left_over_throttle(replace(throttled, moves=frozenset({(3, 3)}))) == ()
    [told] = left_over_throttle(throttled)
    assert "(leader.replication.throttled.replicas)" in told
