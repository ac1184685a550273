"""Plans which replicas to add or remove when a topic's replication changes. Pure.

As few replicas as possible move, and the preferred leader of a partition stays its first replica. New
replicas go to racks without a replica of the partition, then to the brokers with the fewest replicas of
the topic.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from kafka_topology.cluster.live.replicas import Layout, Replicas

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping


@dataclass(frozen=True, slots=True)
class Movement:
    """The replicas of one partition, now and afterwards."""

    before: Replicas
    after: Replicas

    @property
    def added(self) -> Replicas:
        return tuple(broker for broker in self.after if broker not in self.before)


def why_impossible(
    topic: str, target: int, brokers: Mapping[int, str | None], down: Collection[int] = ()
) -> str | None:
    """`brokers` are up; `down` are other brokers of the cluster."""
    if target <= len(brokers):
        return None
    wants = f"topic '{topic}' is declared with replication {target}"
    known = len(brokers) + len(down)
    if not down:
        return (
            f"{wants} and the cluster has {known} brokers: each replica needs a broker of its own. Declare at most "
            f"{known}, or add brokers."
        )
    which = ", ".join(map(str, sorted(down)))
    are = f"broker {which} is" if len(down) == 1 else f"brokers {which} are"
    more = "" if target <= known else f", and declare at most {known} or add brokers"
    return (
        f"{wants} and only {len(brokers)} of the cluster's {known} brokers are up: {are} down. Start what is down and "
        f"run 'pulumi up' again{more}."
    )


def brokers_down(layout: Layout, brokers: Collection[int], fenced: Collection[int]) -> frozenset[int]:
    """Brokers that are not up and hold replicas of the topic, or that the cluster lists as down."""
    return (frozenset(broker for replicas in layout.values() for broker in replicas) | frozenset(fenced)) - set(brokers)


def plan_movements(layout: Layout, brokers: Mapping[int, str | None], target: int) -> dict[int, Movement]:
    """The movement for each partition without `target` replicas. `brokers` are the live ones, with their racks."""
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
        # The last part breaks ties: each partition starts at another broker.
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
    """The replicas to throttle, as Kafka writes them: `partition:broker,…`."""

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
