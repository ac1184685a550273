"""Share groups as a cluster has them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from .groups import NOT_THERE, Partition

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ..outcomes import Failure


@dataclass(frozen=True, slots=True)
class ShareShape:
    """`topics` are those that its members subscribe to. `Dead` is Kafka's word for a group that does not exist.

    `other_type` is the type of a group that has the name and is no share group: such as classic or consumer.
    """

    state: str = NOT_THERE
    members: int = 0
    topics: tuple[str, ...] = ()
    other_type: str | None = None


@dataclass(frozen=True, slots=True)
class ShareOffset:
    """Where a share group reads on a partition. `lag` is None before Kafka 4.2, which does not count it."""

    start: int
    lag: int | None = None


@dataclass(frozen=True, slots=True)
class LiveShareGroup:
    """`partitions` are the existing partitions of its topics. Those without a start offset are not in `offsets`."""

    name: str
    shape: ShareShape = ShareShape()
    partitions: frozenset[Partition] = frozenset()
    missing_topics: tuple[str, ...] = ()
    offsets: Mapping[Partition, ShareOffset] = field(default_factory=dict)
    config: Mapping[str, str] = field(default_factory=dict)
    unread_config: Failure | None = None  # why its settings are unknown, if a reader accepts that

    @property
    def is_there(self) -> bool:
        return self.shape.state != NOT_THERE

    @property
    def exists(self) -> bool:
        return self.is_there or bool(self.config)

    @property
    def lag(self) -> int | None:
        """How many records wait for the group, over all partitions whose lag is known."""
        known = [offset.lag for offset in self.offsets.values() if offset.lag is not None]
        return sum(known) if known else None
