"""What the checks of a topic need to know of the rest of the topology."""

from __future__ import annotations

from collections.abc import Mapping

from ..topology.effective import EffectiveSettings
from ..topology.model import Topic, Topology
from .checks.base import Subject
from .schemas import Schema

_SETTINGS = ("cleanup.policy", "max.compaction.lag.ms", "message.timestamp.type", "message.timestamp.after.max.ms")


def subject_of(
    topology: Topology,
    topic: Topic,
    *,
    partitions: int,
    now_ms: int,
    unseen: str | None = None,
    schemas: Mapping[str, Schema] | None = None,
) -> Subject:
    effective = EffectiveSettings(topology)
    found = {name: effective.topic(topic, name) for name in _SETTINGS}
    return Subject(
        topic,
        partitions,
        settings={name: setting.value for name, setting in found.items() if setting is not None},
        exactly_once=_is_exactly_once(topology, topic),
        now_ms=now_ms,
        unseen=unseen,
        schemas=schemas or {},
    )


def _is_exactly_once(topology: Topology, topic: Topic) -> bool:
    writers = [producer.delivery for producer in topology.producers_of(topic.name)]
    writers += [each.delivery for each in topology.streams.values() if topic.name in each.writes]
    return bool(writers) and all(delivery == "exactly-once" for delivery in writers)
