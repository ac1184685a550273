"""A snapshot as numbers for charts: the load of each broker and the lag of each group."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from ..cluster.outcomes import Failure

if TYPE_CHECKING:
    from ..topology.model.declared import Topology
    from .snapshot import Snapshot


def picture(topology: Topology, live: Snapshot) -> dict[str, object]:
    brokers = {} if isinstance(live.brokers, Failure) else live.brokers
    placed = [p for topic in live.topics.values() if not isinstance(topic, Failure) for p in topic.placement]
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
            for name, group in live.groups.items()
            if not isinstance(group, Failure)
        ],
    }
