"""Facts about share groups (KIP-932): which versions have them, and what their consumers refuse."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from ..model.declared import Cluster, ShareGroup, Topology

# SHARE_GROUP_UNSUPPORTED_CONFIGS of the Java client's ShareConsumerConfig, the same in 4.1 and 4.2.
REFUSED_BY_SHARE_CONSUMERS: Final = frozenset(
    {
        "auto.offset.reset",
        "enable.auto.commit",
        "group.instance.id",
        "group.protocol",
        "group.remote.assignor",
        "heartbeat.interval.ms",
        "interceptor.classes",
        "isolation.level",
        "partition.assignment.strategy",
        "session.timeout.ms",
    }
)

# What ConsumerConfig refuses in every other consumer.
OF_SHARE_CONSUMERS: Final = ("share.acknowledgement.mode", "share.acquire.mode")


def version_of(cluster: Cluster) -> tuple[int, int]:
    """The declared version of Kafka, without its patch."""
    major, minor = cluster.kafka.split(".")[:2]
    return int(major), int(minor)


def has_share_groups(cluster: Cluster) -> bool:
    """Whether brokers of the declared version have share groups."""
    return version_of(cluster) >= (4, 1)


def possible_share_groups(topology: Topology) -> Mapping[str, ShareGroup]:
    """The declared ones; none if the brokers cannot have any: then only KT550 has something to say about them."""
    return topology.share_groups if has_share_groups(topology.cluster) else {}
