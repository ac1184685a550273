"""Which replicas are added or removed when a topic's replication changes. Pure.

As little as possible moves: replicas that may stay do, and the preferred leader of a partition stays
its first replica. New ones go to racks that hold none of the partition yet, then to the brokers with
the fewest replicas of the topic.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

Replicas: TypeAlias = tuple[int, ...]
Layout: TypeAlias = "Mapping[int, Replicas]"


@dataclass(frozen=True, slots=True)
class Movement:
    """The replicas of one partition, now and afterwards."""

    before: Replicas
    after: Replicas

    @property
    def added(self) -> Replicas:
        return tuple(broker for broker in self.after if broker not in self.before)


def why_impossible(topic: str, target: int, brokers: Mapping[int, str | None]) -> str | None:
    if target <= len(brokers):
        return None
    return (
        f"topic '{topic}' is declared with replication {target} and the cluster has {len(brokers)} brokers: each "
        f"replica needs a broker of its own. Declare at most {len(brokers)}, or add brokers."
    )


def plan_movements(layout: Layout, brokers: Mapping[int, str | None], target: int) -> dict[int, Movement]:
    """What changes for each partition that has not `target` replicas. `brokers` are the live ones, with their racks."""
    racks = {broker: rack if rack is not None else f"of broker {broker}" for broker, rack in brokers.items()}
    load = Counter(broker for replicas in layout.values() for broker in replicas)
    movements: dict[int, Movement] = {}
    for partition, before in sorted(layout.items()):
        if len(before) == target:
            continue
        after = _grown(partition, before, racks, load, target)
        after = _shrunk(after, racks, load, target)
        load.update(broker for broker in after if broker not in before)
        load.subtract(broker for broker in before if broker not in after)
        movements[partition] = Movement(before, after)
    return movements


def _grown(partition: int, before: Replicas, racks: Mapping[int, str], load: Counter[int], target: int) -> Replicas:
    replicas = before
    while len(replicas) < target:
        used = Counter(racks.get(broker) for broker in replicas)
        free = [broker for broker in racks if broker not in replicas]
        # The last part spreads what is equal: each partition begins at another broker.
        replicas += (min(free, key=lambda b: (used[racks[b]], load[b], (b - partition) % len(racks), b)),)
    return replicas


def _shrunk(before: Replicas, racks: Mapping[int, str], load: Counter[int], target: int) -> Replicas:
    replicas = before
    while len(replicas) > target:
        used = Counter(racks.get(broker) for broker in replicas)
        leader = next((broker for broker in replicas if broker in racks), replicas[0])
        others = [broker for broker in replicas if broker != leader]
        gone = max(others, key=lambda b: (b not in racks, used[racks.get(b)], load[b], replicas.index(b)))
        replicas = tuple(broker for broker in replicas if broker != gone)
    return replicas


def bytes_to_move(movements: Mapping[int, Movement], sizes: Mapping[int, int]) -> int:
    return sum(sizes.get(partition, 0) * len(movement.added) for partition, movement in movements.items())


@dataclass(frozen=True, slots=True)
class Throttled:
    """The replicas whose copying is slowed down, as Kafka writes them: `partition:broker,…`."""

    leaders: str
    followers: str


def throttled(movements: Mapping[int, Movement]) -> Throttled | None:
    """None when nothing is copied."""
    copied = {partition: movement for partition, movement in movements.items() if movement.added}
    if not copied:
        return None
    return Throttled(
        leaders=_listed((partition, m.before) for partition, m in copied.items()),
        followers=_listed((partition, m.added) for partition, m in copied.items()),
    )


def _listed(replicas: Iterable[tuple[int, Replicas]]) -> str:
    return ",".join(f"{partition}:{broker}" for partition, brokers in replicas for broker in brokers)


def in_words(size: int) -> str:
    amount = float(size)
    for unit in ("bytes", "KiB", "MiB", "GiB"):
        if amount < 1024:
            return f"{amount:.0f} {unit}" if unit == "bytes" else f"{amount:.1f} {unit}"
        amount /= 1024
    return f"{amount:.1f} TiB"
