"""A snapshot as numbers for charts: the load of each broker and the lag of each group."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from ..cluster.outcomes import Failure
from .subjects.cluster import BROKERS
from .subjects.groups import GROUPS
from .subjects.topics import TOPICS

if TYPE_CHECKING:
    from ..topology.model.declared import Topology
    from .snapshot import Snapshot


def picture(topology: Topology, live: Snapshot) -> dict[str, object]:
    up = live.of(BROKERS)
    brokers = {} if isinstance(up, Failure) else up
    placed = [p for topic in live.of(TOPICS).values() if not isinstance(topic, Failure) for p in topic.placement]
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
        "groups": [
            {
                "group": name,
                "state": group.shape.state,
                "members": group.shape.members,
                "lag": group.lag,
                "maxLag": topology.consumer_groups[name].max_lag if name in topology.consumer_groups else None,
            }
            for name, group in live.of(GROUPS).items()
            if not isinstance(group, Failure)
        ],
    }
