"""The controller quorum as its leader describes it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping


@dataclass(frozen=True, slots=True)
class Follower:
    """A node that copies the metadata log. `lag` counts the records that it is missing.

    `behind` is how long ago it last had everything, in milliseconds by the leader's clock; None before Kafka 3.3. A
    voter that does not follow has not fetched for a while: it is down, or does not reach the leader.
    """

    follows: bool = True
    lag: int = 0
    behind: int | None = 0


@dataclass(frozen=True, slots=True)
class Quorum:
    """`voters` elect the leader among them. `observers` only read: brokers, and controllers without a vote."""

    leader: int
    voters: Mapping[int, Follower]
    observers: Mapping[int, Follower] = field(default_factory=dict)

    @property
    def majority(self) -> int:
        return len(self.voters) // 2 + 1

    @property
    def has_majority(self) -> bool:
        return sum(each.follows for each in self.voters.values()) >= self.majority
