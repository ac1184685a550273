"""Replication throttles: which are ours, what to set, and what to remove again. Pure.

Throttles of others are never changed. Ours carry a mark, so the next run finds them after a crash: our rates end in
8219, and our entries in a topic's throttled replicas follow the entry `0:2147483647`, which names no broker.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kafka_topology.cluster.live.replicas import RATES, ThrottleChanges, Throttles
from kafka_topology.cluster.live.topics import THROTTLED_REPLICAS, ConfigChange

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from .plan import Throttled

TOPIC_MARK: Final = "0:2147483647"
_RATE_MARK: Final = 8_219
_RATE_STEP: Final = 10_000
_ALL: Final = "*"


def is_ours(live: Throttles, topic: str) -> bool:
    return any(TOPIC_MARK in text.split(",") for text in live.topics.get(topic, {}).values())


def is_others(live: Throttles, topic: str) -> bool:
    return any(_others(text) for text in live.topics.get(topic, {}).values())


def marked(rate: int) -> int:
    """The largest marked rate that is not above this one; at least the smallest marked rate."""
    return max((rate - _RATE_MARK) // _RATE_STEP, 0) * _RATE_STEP + _RATE_MARK


def is_our_rate(text: str | None) -> bool:
    return text is not None and text.isdigit() and int(text) % _RATE_STEP == _RATE_MARK


def setting(
    live: Throttles, topics: Mapping[str, Throttled], brokers: Collection[int], rate: int, *, keep_ours: bool
) -> ThrottleChanges:
    """The changes that throttle only these copies. With `keep_ours`, a rate of another run of ours stays."""
    wanted = str(marked(rate))
    on_topics = {}
    for name, replicas in topics.items():
        now = live.topics.get(name, {})
        on_topics[name] = ConfigChange(
            set={
                key: text
                for key, ours in zip(THROTTLED_REPLICAS, (replicas.leaders, replicas.followers), strict=True)
                if (text := _joined(now.get(key), ours)) != now.get(key)
            }
        )
    on_brokers = {}
    for broker in brokers:
        rates = live.brokers.get(broker, {})
        free = [key for key in RATES if key not in rates or (is_our_rate(rates[key]) and not keep_ours)]
        on_brokers[broker] = ConfigChange(set={key: wanted for key in free if rates.get(key) != wanted})
    return _only_changes(on_topics, on_brokers)


def removing(live: Throttles, topics: Collection[str], brokers: Collection[int]) -> ThrottleChanges:
    """The changes that remove our throttles from these topics and brokers, and leave those of others."""
    on_topics = {}
    for name in topics:
        marks = {k: text for k, text in live.topics.get(name, {}).items() if TOPIC_MARK in text.split(",")}
        kept = {key: _others(text) for key, text in marks.items()}
        on_topics[name] = ConfigChange(
            set={key: text for key, text in kept.items() if text},
            reset=frozenset(key for key, text in kept.items() if not text),
        )
    on_brokers = {
        broker: ConfigChange(
            reset=frozenset(k for k, rate in live.brokers.get(broker, {}).items() if is_our_rate(rate))
        )
        for broker in brokers
    }
    return _only_changes(on_topics, on_brokers)


def slowed_by_us(live: Throttles, others: Collection[str], brokers: Collection[int]) -> tuple[str, ...]:
    """Moving topics of others with throttled replicas and no rate: a rate of ours would slow them down."""
    if all(key in live.brokers.get(broker, {}) for broker in brokers for key in RATES):
        return ()
    return tuple(sorted(name for name in others if is_others(live, name) and not is_ours(live, name)))


def _joined(now: str | None, ours: str) -> str:
    others = _others(now or "")
    return others if others == _ALL else ",".join(filter(None, (others, TOPIC_MARK, ours)))


def _others(text: str) -> str:
    """The entries before our mark."""
    parts = text.split(",")
    return ",".join(parts[: parts.index(TOPIC_MARK)]) if TOPIC_MARK in parts else text


def _only_changes(topics: Mapping[str, ConfigChange], brokers: Mapping[int, ConfigChange]) -> ThrottleChanges:
    return ThrottleChanges({n: c for n, c in topics.items() if c}, {b: c for b, c in brokers.items() if c})
