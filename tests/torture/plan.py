"""From a seed to turns: which operation, which fault, when, and by which listener."""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .cluster import Via
    from .parts import Fault, Operation


@dataclass(frozen=True)
class Turn:
    """`moment` is the share of the operation's usual time after which the fault comes; `draw` seeds its details."""

    seed: int
    number: int
    operation: str
    fault: str
    via: Via
    moment: float
    lasts: float
    draw: int


def turns(seed: int, operations: Mapping[str, Operation], faults: Mapping[str, Fault]) -> Iterator[Turn]:
    """Without end. Every pair comes once before any comes again."""
    chance = random.Random(seed)  # noqa: S311
    pairs = [(one, other) for one in operations for other in faults if faults[other].suits(operations[one])]
    number = 0
    while pairs:
        for operation, fault in chance.sample(pairs, len(pairs)):
            length = chance.uniform(faults[fault].shortest, faults[fault].longest)
            via: Via = chance.choice(("plain", "secured"))
            yield Turn(seed, number, operation, fault, via, chance.random(), length, chance.randrange(2**32))
            number += 1
