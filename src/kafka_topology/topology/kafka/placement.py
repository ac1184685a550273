"""Where Kafka puts the replicas of a new topic: rack by rack in turns, one broker after another within each rack.

Kafka starts at a random rack and at a random broker of each, and changes the order at random after as many partitions
as there are brokers. A seed stands for one such choice.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from functools import lru_cache
from itertools import islice
from random import Random
from typing import TypeAlias

Placement: TypeAlias = tuple[tuple[int, ...], ...]  # the brokers of each partition, its leader first
Brokers: TypeAlias = Mapping[int, str | None]  # each with its rack
_SEEDS = 24  # choices to look at; fewer for topics of many partitions, which hold many choices themselves


def placed(partitions: int, replication: int, brokers: Brokers, random: Random) -> Placement:
    """One placement of a new topic. All brokers are up; with fewer of them than replicas, each has one."""
    racks = _Racks(brokers, random)
    copies = min(replication, len(brokers))
    return tuple(racks.place(copies) for _ in range(partitions))


def placements(partitions: int, replication: int, brokers: Brokers) -> tuple[Placement, ...]:
    """Several placements of a new topic, always the same ones for the same shape."""
    return _placements(partitions, replication, tuple(sorted(brokers.items())))


def rack_shares(replication: int, brokers: Counter[str]) -> dict[str, float]:
    """How many replicas of a partition each rack gets on average; `brokers` counts those of each rack.

    Kafka gives every rack one replica in turns, as long as the rack has a broker without one. Which racks have one
    replica more rotates.
    """
    shares = dict.fromkeys(brokers, 0.0)
    left = min(replication, brokers.total())
    turn = 0
    while left > 0:
        open_racks = [rack for rack, count in brokers.items() if count > turn]
        each = min(1.0, left / len(open_racks))
        for rack in open_racks:
            shares[rack] += each
        left -= min(left, len(open_racks))
        turn += 1
    return shares


@lru_cache(maxsize=512)
def _placements(
    partitions: int, replication: int, brokers: tuple[tuple[int, str | None], ...]
) -> tuple[Placement, ...]:
    given = dict(brokers)
    seeds = max(4, min(_SEEDS, 20_000 // partitions))
    return tuple(placed(partitions, replication, given, Random(seed)) for seed in range(seeds))  # noqa: S311 - no secret


class _Rack:
    """Brokers in a circle. Each partition begins one further, and a broker takes one replica of it."""

    def __init__(self, brokers: list[int], random: Random) -> None:
        self.brokers = sorted(brokers)
        self._first = random.randrange(len(brokers))
        self._taken = 0
        self._turn = 0

    def next(self, turn: int) -> int | None:
        if turn != self._turn:
            self._turn, self._taken = turn, 0
            self._first = (self._first + 1) % len(self.brokers)
        if self._taken == len(self.brokers):
            return None
        self._taken += 1
        return self.brokers[(self._first + self._taken - 1) % len(self.brokers)]


class _Racks:
    """All brokers without a rack are in one of their own, as Kafka has it."""

    def __init__(self, brokers: Brokers, random: Random) -> None:
        held: dict[str | None, list[int]] = {}
        for broker, rack in brokers.items():
            held.setdefault(rack, []).append(broker)
        names = sorted(held, key=lambda name: (name is not None, name or ""))
        self._random = random
        self._racks = [_Rack(held[name], random) for name in names]
        self._brokers = len(brokers)
        self._first = random.randrange(len(names))
        self._turn = 0

    def place(self, copies: int) -> tuple[int, ...]:
        if self._turn == self._brokers > 1:
            self._shuffle()
        replicas = tuple(islice(self._in_turns(), copies))
        self._turn += 1
        self._first = (self._first + 1) % len(self._racks)
        return replicas

    def _in_turns(self) -> Iterator[int]:
        """Every broker once: one of each rack in turns, as long as a rack has one left."""
        found = 0
        at = self._first
        while found < self._brokers:
            broker = self._racks[at].next(self._turn)
            if broker is not None:
                found += 1
                yield broker
            at = (at + 1) % len(self._racks)

    def _shuffle(self) -> None:
        self._turn = 0
        self._random.shuffle(self._racks)
        for rack in self._racks:
            self._random.shuffle(rack.brokers)
