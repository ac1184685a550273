"""Consumer groups as a cluster has them."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING, Final, Literal, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Mapping


Partition: TypeAlias = tuple[str, int]
Position: TypeAlias = Literal["earliest", "latest"] | datetime
NOT_THERE: Final = "Dead"


@dataclass(frozen=True, slots=True)
class Committed:
    offset: int
    note: str = ""


@dataclass(frozen=True, slots=True)
class GroupShape:
    """`Dead` is Kafka's word for a group that does not exist."""

    state: str = NOT_THERE
    members: int = 0


@dataclass(frozen=True, slots=True)
class LiveGroup:
    """`partitions` are the existing partitions that the group reads; `ends` are their log ends."""

    name: str
    shape: GroupShape = GroupShape()
    partitions: frozenset[Partition] = frozenset()
    missing_topics: tuple[str, ...] = ()
    offsets: Mapping[Partition, Committed] = field(default_factory=dict)
    ends: Mapping[Partition, int] = field(default_factory=dict)
    config: Mapping[str, str] = field(default_factory=dict)

    @property
    def exists(self) -> bool:
        return self.shape.state != NOT_THERE or bool(self.offsets or self.config)

    @property
    def lag(self) -> int | None:
        """How many offsets the group is behind, over all partitions with a committed offset."""
        known = [max(0, self.ends[p] - c.offset) for p, c in self.offsets.items() if p in self.ends]
        return sum(known) if known else None
