"""How many replicas of a topic must be in sync for acks=all writes: as the cluster has it, or by the declaration."""

from __future__ import annotations

from dataclasses import dataclass

from ...topology.kafka.internal_topics import INTERNAL_TOPICS
from ...topology.model.declared import Topic
from ..live import Live
from ..versions import Version

_SETTING = "min.insync.replicas"


@dataclass(frozen=True, slots=True)
class Needs:
    """With a live cluster, its value counts, except where the change from `base` to `version` sets another one."""

    version: Version
    live: Live | None
    base: Version | None = None

    def of(self, topic: Topic) -> int | None:
        """None if the cluster has the topic, or may have it, and does not say what it needs."""
        declared = self.version.number(topic, _SETTING) or 1
        if self.live is None or self._is_changed(topic, declared):
            return declared
        if topic.name in self.live.unread_topics:
            return None
        found = self.live.topics.get(topic.name)
        return declared if found is None else found.min_isr

    def _is_changed(self, topic: Topic, declared: int) -> bool:
        was = self.base.topology.topics.get(topic.name) if self.base is not None else None
        return self.base is not None and was is not None and (self.base.number(was, _SETTING) or 1) != declared

    def unknown(self) -> tuple[str, ...]:
        """The topics that could not be checked, Kafka's own too."""
        if self.live is None:
            return ()
        own = (topic.name for topic in INTERNAL_TOPICS)
        silent = (name for name in own if name in self.live.topics and self.live.topics[name].min_isr is None)
        return (*(name for name, topic in self.version.topology.topics.items() if self.of(topic) is None), *silent)

    def differing(self) -> tuple[str, ...]:
        """The topics whose live value is not the declared one, with both."""
        found = []
        for name, topic in self.version.topology.topics.items():
            used, declared = self.of(topic), self.version.number(topic, _SETTING) or 1
            is_declared = _SETTING in topic.config or self.version.default_of(_SETTING) is not None
            if is_declared and used is not None and used != declared:
                found.append(f"{name} ({used}; declared {declared})")
        return tuple(found)
