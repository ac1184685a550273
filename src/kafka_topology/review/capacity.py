"""What one broker holds and carries, by the declaration: disk, and the network at peak load."""

from __future__ import annotations

from dataclasses import dataclass

from ..topology.model.declared import Topic
from .versions import Version, Versions


@dataclass(frozen=True, slots=True)
class Capacity:
    """On average for each of the `brokers`, or for all together if their number is not declared.

    `received` and `sent` are bytes per second. `unknown` topics declare no load or no limit, and do not count.
    """

    brokers: int | None
    disk: float
    received: float
    sent: float
    unknown: tuple[str, ...] = ()


def capacity(version: Version) -> Capacity:
    topics = version.topology.topics.values()
    declared = version.topology.cluster.brokers
    count = len(declared) if declared else None
    disk = received = sent = 0.0
    unknown = []
    for topic in topics:
        kept, rate = version.disk_bytes(topic), _rate(topic)
        if kept is None or rate is None:
            unknown.append(topic.name)
        disk += (kept or 0) * topic.replication
        # Leaders receive from writers, followers from leaders; leaders send to followers and to each group.
        received += (rate or 0) * topic.replication
        sent += (rate or 0) * (topic.replication - 1 + len(version.reader_names(topic.name)))
    share = count or 1
    return Capacity(count, disk / share, received / share, sent / share, tuple(unknown))


def _rate(topic: Topic) -> int | None:
    load = topic.throughput
    return None if load is None else load.peak if load.peak is not None else load.average


def changed_capacity(versions: Versions) -> tuple[Capacity, Capacity] | None:
    """Both versions' capacity, if the change alters what a broker carries."""
    before, after = capacity(versions.old), capacity(versions.new)
    was, now = ((each.brokers, each.disk, each.received, each.sent) for each in (before, after))
    return (before, after) if was != now else None
