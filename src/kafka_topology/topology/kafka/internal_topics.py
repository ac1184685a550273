"""The topics in which brokers keep the state of groups and transactions: the settings that shape them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from .effective import EffectiveSettings

EVERY_TOPIC: Final = "min.insync.replicas"


@dataclass(frozen=True, slots=True)
class InternalTopic:
    """Names of broker settings. Without a setting of its own, `min_isr` is that of every topic."""

    name: str
    replication: str
    partitions: str
    min_isr: str
    effect: str  # of partitions that cannot be written


INTERNAL_TOPICS: Final = (
    InternalTopic(
        "__consumer_offsets",
        "offsets.topic.replication.factor",
        "offsets.topic.num.partitions",
        EVERY_TOPIC,
        "groups whose offsets are in these partitions can neither commit nor join",
    ),
    InternalTopic(
        "__transaction_state",
        "transaction.state.log.replication.factor",
        "transaction.state.log.num.partitions",
        "transaction.state.log.min.isr",
        "transactions whose state is in these partitions stop",
    ),
    InternalTopic(
        "__share_group_state",
        "share.coordinator.state.topic.replication.factor",
        "share.coordinator.state.topic.num.partitions",
        "share.coordinator.state.topic.min.isr",
        "share groups whose state is in these partitions deliver nothing",
    ),
)


@dataclass(frozen=True, slots=True)
class InternalShape:
    """An internal topic with the values in force. `is_declared`: the topology sets one of them."""

    topic: InternalTopic
    partitions: int
    replication: int
    min_isr: int
    is_declared: bool


def internal_shapes(settings: EffectiveSettings) -> Iterator[InternalShape]:
    """Those that this version of Kafka has."""
    for topic in INTERNAL_TOPICS:
        found = [settings.broker(name) for name in (topic.partitions, topic.replication, topic.min_isr)]
        known = [setting for setting in found if setting is not None]
        numbers = [setting.number for setting in known if setting.number is not None]
        if len(numbers) == len(found):
            own = [setting for setting in known if setting.name != EVERY_TOPIC]
            partitions, replication, min_isr = numbers
            is_declared = any(setting.is_declared for setting in own)
            yield InternalShape(topic, partitions, replication, min_isr, is_declared)
