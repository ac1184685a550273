"""Consumer groups as a cluster has them."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING, Final, Literal, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ..outcomes import Failure

Partition: TypeAlias = tuple[str, int]
Position: TypeAlias = Literal["earliest", "latest"] | datetime
NOT_THERE: Final = "Dead"


@dataclass(frozen=True, slots=True)
class Committed:
    offset: int
    note: str = ""


@dataclass(frozen=True, slots=True)
class GroupShape:
    """`Dead` is Kafka's word for a group that does not exist.

    `idle` are members without a partition, once the group has settled. A group `is_simple` if nobody ever joined it:
    its offsets are committed by consumers that assign their partitions themselves, or by us. `other_type` is the type
    of a group that has the name and that no consumer can join, such as share; such a group is `Dead` here. `assignor`
    is that of its members, if they have agreed on one. `topics` are those of which a member has a partition, once the
    group has settled; None if nobody knows.
    """

    state: str = NOT_THERE
    members: int = 0
    idle: int = 0
    is_simple: bool = False
    other_type: str | None = None
    assignor: str = ""
    topics: frozenset[str] | None = None


@dataclass(frozen=True, slots=True)
class LiveGroup:
    """`partitions` are the existing partitions that the group reads; `ends` are the log ends that were read."""

    name: str
    shape: GroupShape = GroupShape()
    partitions: frozenset[Partition] = frozenset()
    missing_topics: tuple[str, ...] = ()
    offsets: Mapping[Partition, Committed] = field(default_factory=dict)
    ends: Mapping[Partition, int] = field(default_factory=dict)
    config: Mapping[str, str] = field(default_factory=dict)
    unread_config: Failure | None = None  # why its settings are unknown, if a reader accepts that

    @property
    def is_there(self) -> bool:
        return self.shape.state != NOT_THERE

    @property
    def exists(self) -> bool:
        return self.is_there or bool(self.offsets or self.config)

    @property
    def lag(self) -> int | None:
        """How many offsets the group is behind, over all partitions with a committed offset."""
        known = [max(0, self.ends[p] - c.offset) for p, c in self.offsets.items() if p in self.ends]
        return sum(known) if known else None
