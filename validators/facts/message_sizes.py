"""The `max.message.bytes` of the topics of one client: what a producer may send, and what a reader must fetch."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from kafka_topology.topology.kafka.effective import Setting
from kafka_topology.topology.model.findings import Related

from ..engine.helpers import related
from ..engine.rule import Context
from .client_roles import Reader, Writer

KEY = "max.message.bytes"


@dataclass(frozen=True, slots=True)
class Maximums:
    """The largest batch that each topic accepts, in bytes. Topics of other teams are not known."""

    by_topic: Mapping[str, int]
    all_known: bool

    @property
    def smallest(self) -> tuple[int, str]:
        return min(((size, name) for name, size in self.by_topic.items()), default=(0, ""))

    @property
    def largest(self) -> tuple[int, str]:
        return max(((size, name) for name, size in self.by_topic.items()), default=(0, ""))

    @property
    def are_one(self) -> bool:
        """Whether every topic is known and has the same maximum."""
        return self.all_known and len({*self.by_topic.values()}) == 1


def maximums(context: Context) -> Callable[[Writer | Reader], Maximums]:
    """A fast lookup for many clients."""
    topics = context.topology.topics
    size_of = context.index.topic_number(KEY)

    def of(client: Writer | Reader) -> Maximums:
        sizes = {name: size_of(topics[name]) for name in client.topics if name in topics}
        known = {name: size for name, size in sizes.items() if size is not None}
        return Maximums(known, all_known=len(known) == len({*client.topics}))

    return of


def maximum_of(context: Context, name: str) -> tuple[Setting | None, tuple[Related, ...]]:
    """The setting of a declared topic, and its place as a part of a finding."""
    setting = context.settings.topic(context.topology.topics[name], KEY)
    return setting, related(setting, f"the maximum of {name}") if setting is not None else ()
