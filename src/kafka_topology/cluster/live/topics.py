"""Topics as a cluster has them, and changes to them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final, Protocol

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime


# Set only while replicas are copied, so never part of a topic's own config.
THROTTLED_REPLICAS: Final = ("leader.replication.throttled.replicas", "follower.replication.throttled.replicas")


class WantedTopic(Protocol):
    """What a cluster needs to create a topic."""

    @property
    def name(self) -> str: ...

    @property
    def partitions(self) -> int: ...

    @property
    def replication(self) -> int: ...

    @property
    def config(self) -> Mapping[str, str]: ...


@dataclass(frozen=True, slots=True)
class TopicShape:
    topic_id: str
    partitions: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Placed:
    """Where one partition is: its leader, if it has one, the brokers of its replicas, and those in sync.

    The first replica is the preferred leader.
    """

    leader: int | None
    replicas: tuple[int, ...]
    in_sync: tuple[int, ...]


def kafka_id(text: str) -> str:
    """An id as Kafka and its tools write it: with `-` and `_`, where librdkafka writes `+` and `/`."""
    return text.replace("+", "-").replace("/", "_")


@dataclass(frozen=True, slots=True)
class LiveTopic:
    """A topic as the cluster describes it. `config` holds only the settings of the topic itself.

    `replication` is the smallest number of replicas of any partition, and `most_replicas` the largest if they differ.
    Replicas that are still being copied do not count; while there are any, the topic `is_moving`, and `moves` has the
    numbers of replicas of each partition now and after its move. `throttled` has the settings that mark replicas for
    throttling. `min_in_sync` is the value in force, wherever it was set.
    """

    name: str
    topic_id: str
    partitions: int
    replication: int
    config: Mapping[str, str] = field(default_factory=dict)
    internal: bool = False
    throttled: tuple[str, ...] = ()
    most_replicas: int | None = None
    moves: frozenset[tuple[int, int]] = frozenset()
    placement: tuple[Placed, ...] = field(default=(), compare=False, repr=False)  # by partition
    min_in_sync: int | None = field(default=None, compare=False)

    @property
    def is_moving(self) -> bool:
        return bool(self.moves)

    @property
    def is_even(self) -> bool:
        return self.most_replicas is None or self.most_replicas == self.replication

    @property
    def highest_replication(self) -> int:
        return self.most_replicas or self.replication

    @property
    def coming_replication(self) -> int:
        """The largest number of replicas of any partition once running moves are done."""
        return max((after for _, after in self.moves), default=self.highest_replication)

    @property
    def comes_to_be_even(self) -> bool:
        return len({after for _, after in self.moves}) == 1 if self.is_moving else self.is_even

    @property
    def replication_text(self) -> str:
        return str(self.replication) if self.is_even else f"{self.replication} to {self.most_replicas}"

    def has_replication(self, wanted: int) -> bool:
        return self.is_even and self.replication == wanted

    def comes_to_replication(self, wanted: int) -> bool:
        """Whether each partition has this number of replicas, or is being moved to it."""
        return self.has_replication(wanted) or (self.is_moving and all(wanted in sizes for sizes in self.moves))

    def shown_replication(self, before: object) -> int:
        """One number for the state. If partitions differ, it differs from the number `before`, so that the difference
        shows, except while replicas move to or from that number."""
        least, most = self.replication, self.highest_replication
        if least == most:
            return least
        if self.is_moving and isinstance(before, int) and least <= before <= most:
            return before
        return most if least == before else least


@dataclass(frozen=True, slots=True)
class ConfigChange:
    set: Mapping[str, str] = field(default_factory=dict)
    reset: frozenset[str] = frozenset()

    def __bool__(self) -> bool:
        return bool(self.set or self.reset)


@dataclass(frozen=True, slots=True)
class TopicContents:
    """How many offsets the topic spans, and when its last record was written, if that is known.

    `written` is the sum of its log ends: it grows with every record, even if the record is deleted later.
    """

    offsets: int
    last_write: datetime | None = None
    written: int = 0


@dataclass(frozen=True, slots=True)
class Writer:
    """A producer that the leader of a partition remembers, and the time of its last record there."""

    partition: int
    producer_id: int
    last_write: datetime | None = None
    in_transaction: bool = False
