"""Running reassignments: replicas that are still being copied do not count as replication yet. Pure."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from ..attempts import is_unanswered
from ..live.topics import LiveTopic, Placed
from ..outcomes import Failure, Outcome

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from ..live.groups import Partition


@dataclass(frozen=True, slots=True)
class Reassignment:
    """The brokers that a partition is being copied to, and those that drop it afterwards."""

    adding: frozenset[int]
    removing: frozenset[int] = frozenset()


def with_reassignments(
    topics: Mapping[str, Outcome[LiveTopic]], ask: Callable[[], Outcome[Mapping[Partition, Reassignment]]]
) -> dict[str, Outcome[LiveTopic]]:
    """The topics with their finished replication, without replicas that are still being copied.

    Asks for reassignments only if a topic looks unusual, so the usual read needs no further request. Without access to
    them, the description counts: a principal that may not list reassignments may not start any either.
    """
    unusual = {name: t for name, t in topics.items() if isinstance(t, LiveTopic) and looks_unusual(t)}
    if not unusual:
        return dict(topics)
    moving = ask()
    if isinstance(moving, Failure):
        return {**topics, **(dict.fromkeys(unusual, moving) if is_unanswered(moving) else {})}
    return {**topics, **{name: _settled(topic, moving) for name, topic in unusual.items()}}


def looks_unusual(topic: LiveTopic) -> bool:
    return (
        bool(topic.throttled)
        or not topic.is_even
        or any(set(placed.replicas) != set(placed.in_sync) for placed in topic.placement)
    )


def _settled(topic: LiveTopic, moving: Mapping[Partition, Reassignment]) -> LiveTopic:
    under_way = {number: found for number in range(topic.partitions) if (found := moving.get((topic.name, number)))}
    if not under_way:
        return topic
    placement = tuple(
        _without(placed, under_way[number].adding) if number in under_way else placed
        for number, placed in enumerate(topic.placement)
    )
    moves = [_sizes(placed, under_way.get(number)) for number, placed in enumerate(topic.placement)]
    counts = [now for now, _ in moves]
    return replace(
        topic, replication=min(counts), most_replicas=max(counts), moves=frozenset(moves), placement=placement
    )


def _sizes(placed: Placed, move: Reassignment | None) -> tuple[int, int]:
    """The number of replicas without those that are being copied, and the number after the move."""
    replicas = set(placed.replicas)
    return (
        (len(replicas), len(replicas))
        if move is None
        else (len(replicas - move.adding), len((replicas | move.adding) - move.removing))
    )


def _without(placed: Placed, adding: frozenset[int]) -> Placed:
    """Kafka, too, counts a replica that is being copied as missing only once it has been in sync."""
    copied = adding - set(placed.in_sync)
    return replace(placed, replicas=tuple(broker for broker in placed.replicas if broker not in copied))
