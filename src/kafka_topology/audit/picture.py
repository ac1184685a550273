"""A snapshot as numbers for charts and metrics: the load of each broker, the replicas of topics, the lag of groups."""

from __future__ import annotations

from collections import Counter
from datetime import timedelta
from typing import TYPE_CHECKING, Any, TypeAlias

from ..cluster.outcomes import Failure
from .observing.group_log import GROUPS, LOGS, GroupLog
from .observing.group_waits import WAITS
from .observing.live_cluster import BROKERS
from .observing.live_topics import TOPICS
from .observing.waits import limits_of
from .subjects.share_groups import SHARE_GROUPS, SHARE_LAGS, SHARE_WAITS, share_lag

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ..cluster.live.groups import Partition
    from ..cluster.live.topics import LiveTopic
    from ..topology.model.declared import Topology
    from .observing.snapshot import Snapshot
    from .observing.waits import Waits

    Limits: TypeAlias = Mapping[str, int | timedelta]


def picture(topology: Topology, live: Snapshot) -> dict[str, object]:
    up, limits = live.of(BROKERS), limits_of(topology)
    brokers = {} if isinstance(up, Failure) else up
    topics = {name: topic for name, topic in live.of(TOPICS).items() if not isinstance(topic, Failure)}
    placed = [p for topic in topics.values() for p in topic.placement]
    leaders = Counter(p.leader for p in placed if p.leader is not None)
    replicas = Counter(broker for p in placed for broker in p.replicas)
    return {
        "brokers": [
            {
                "broker": broker,
                "rack": brokers.get(broker),
                "up": broker in brokers,
                "leaders": leaders[broker],
                "replicas": replicas[broker],
            }
            for broker in sorted(brokers.keys() | replicas.keys())
        ],
        "topics": [_topic(name, topic) for name, topic in sorted(topics.items())],
        "groups": [*_groups(live, limits), *_share_groups(live, limits)],
    }


def _topic(name: str, topic: LiveTopic) -> dict[str, object]:
    placed = topic.placement
    return {
        "topic": name,
        "partitions": len(placed),
        "withoutLeader": sum(1 for each in placed if each.leader is None),
        "underReplicated": sum(1 for each in placed if len(each.in_sync) < len(each.replicas)),
        "fewestInSync": min((len(each.in_sync) for each in placed), default=0),
        "minInSync": topic.min_in_sync,
    }


def _groups(live: Snapshot, limits: Limits) -> list[dict[str, object]]:
    logs, waits = live.of(LOGS), live.of(WAITS)
    return [
        {
            "group": name,
            "state": group.shape.state,
            "members": group.shape.members,
            **_lag(limits.get(name), log.lag, log.lags, waits.get(name)),
            "heldBack": sum(log.held.values()),
        }
        for name, group in sorted(live.of(GROUPS).items())
        if not isinstance(group, Failure)
        for log in (logs.get(name, GroupLog()),)
    ]


def _share_groups(live: Snapshot, limits: Limits) -> list[dict[str, object]]:
    waits = live.of(SHARE_WAITS)
    lags: dict[str, dict[Partition, int]] = {}
    for (name, partition), lag in live.of(SHARE_LAGS).items():
        if not isinstance(lag, Failure):
            lags.setdefault(name, {})[partition] = lag
    return [
        {
            "group": name,
            "state": shared.shape.state,
            "members": shared.shape.members,
            **_lag(limits.get(name), share_lag(live, name), lags.get(name, {}), waits.get(name)),
        }
        for name, shared in sorted(live.of(SHARE_GROUPS).items())
        if not isinstance(shared, Failure)
    ]


def _lag(
    limit: int | timedelta | None, total: int | None, lags: Mapping[Partition, int], waits: Waits | None
) -> dict[str, Any]:
    """A partition where nothing waits is 0 seconds behind; one whose oldest record could not be read, unknown."""
    seconds: dict[Partition, float | None] = {partition: None if lag else 0.0 for partition, lag in lags.items()}
    for partition, age in (waits.ages() if waits is not None else {}).items():
        seconds[partition] = round(age.total_seconds(), 3)
    known = [each for each in seconds.values() if each is not None]
    return {
        "lag": total,
        "lagSeconds": max(known) if known and len(known) == len(seconds) else None,
        "maxLag": limit if isinstance(limit, int) else None,
        "maxLagSeconds": limit.total_seconds() if isinstance(limit, timedelta) else None,
        "partitions": [
            {"topic": topic, "partition": number, "lag": lag, "lagSeconds": seconds[topic, number]}
            for (topic, number), lag in sorted(lags.items())
        ],
    }
