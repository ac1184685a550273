"""A declared group against the live one: where its offsets go, and what is refused."""

from __future__ import annotations

from dataclasses import dataclass, field
from hashlib import sha256
from typing import TYPE_CHECKING, Final, TypeAlias

from .config_values import same
from .topic_plan import ConfigChange

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from .groups import DeclaredGroup, Position, Reset

Partition: TypeAlias = tuple[str, int]
# Written beside each offset that we commit: a later look tells our commits from the group's own.
START_MARK: Final = "kafka-topology start"
NOT_THERE: Final = "Dead"


@dataclass(frozen=True, slots=True)
class Committed:
    offset: int
    note: str = ""


@dataclass(frozen=True, slots=True)
class GroupShape:
    """`Dead` is Kafka's word for a group that is not there."""

    state: str = NOT_THERE
    members: int = 0


@dataclass(frozen=True, slots=True)
class LiveGroup:
    """`partitions` are those that the group reads, and that exist; `ends` are their log ends."""

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
        """How many offsets the group is behind, over the partitions that it has committed."""
        known = [max(0, self.ends[p] - c.offset) for p, c in self.offsets.items() if p in self.ends]
        return sum(known) if known else None


@dataclass(frozen=True, slots=True)
class OffsetMove:
    """Commit the offset at this position for these partitions, with this note."""

    to: Position
    partitions: frozenset[Partition]
    note: str


def partitions_read(declared: DeclaredGroup, counts: Mapping[str, int]) -> frozenset[Partition]:
    return frozenset(
        (topic, number)
        for topic, chosen in declared.reads.items()
        if topic in counts
        for number in (range(counts[topic]) if chosen is None else chosen)
    )


def plan_start(declared: DeclaredGroup, live: LiveGroup) -> OffsetMove | None:
    """The start of a new group. Not one offset that somebody else committed is ever moved."""
    if declared.start is None or live.shape.members or not is_new(live):
        return None
    left = live.partitions - live.offsets.keys()
    return OffsetMove(declared.start, left, START_MARK) if left else None


def is_new(live: LiveGroup) -> bool:
    """No offset, or only the ones that an interrupted creation of ours left."""
    return all(committed.note == START_MARK for committed in live.offsets.values())


def reset_mark(reset: Reset) -> str:
    return f"kafka-topology reset {sha256(reset.token.encode()).hexdigest()[:16]}"


def plan_reset(reset: Reset, live: LiveGroup, failed: Iterable[Partition] = ()) -> OffsetMove | None:
    """Moves every partition, unless it has been done: `failed` is what is left of an attempt in this run."""
    mark = reset_mark(reset)
    begun = any(committed.note == mark for committed in live.offsets.values())
    left = frozenset(failed) if begun else live.partitions
    return OffsetMove(reset.to, left, mark) if left else None


def why_not_reset(declared: DeclaredGroup, live: LiveGroup) -> str | None:
    if not live.shape.members:
        return None
    return (
        f"group '{declared.name}' has {live.shape.members} members and is {live.shape.state}: its offsets are "
        "not moved under a running consumer. Stop all members, then try again."
    )


def told_of_reset(declared: DeclaredGroup, reset: Reset, live: LiveGroup) -> str:
    where = reset.to if isinstance(reset.to, str) else reset.to.isoformat()
    lag = "an unknown lag" if live.lag is None else f"a lag of {live.lag}"
    return (
        f"group '{declared.name}': the offsets of {len(live.partitions)} partitions, now with {lag}, are moved to "
        f"{where}. What lies between is read again or left out."
    )


def why_not_delete(declared: DeclaredGroup, live: LiveGroup) -> str | None:
    if not live.shape.members:
        return None
    return (
        f"group '{declared.name}' has {live.shape.members} members and is {live.shape.state}: a group that is in "
        "use is not deleted. Stop all members, then try again."
    )


def why_protected(declared: DeclaredGroup) -> str | None:
    if declared.deletion != "protected":
        return None
    return (
        f"group '{declared.name}' is protected and is not deleted: with it go its offsets. Declare 'deletion: "
        "allowed' for it, apply that, and then remove it. To only stop managing it, run 'pulumi state delete'."
    )


def config_differences(declared: DeclaredGroup, live: LiveGroup) -> tuple[str, ...]:
    """Declared keys that have another value on the cluster; a key that is not set there is no difference."""
    return tuple(
        f"{key}: declared {value}, live {live.config[key]}"
        for key, value in sorted(declared.config.items())
        if key in live.config and not same(value, live.config[key])
    )


def why_not_adopt(declared: DeclaredGroup, lines: Iterable[str]) -> str:
    name = declared.name
    return (
        f"group '{name}' has config that differs from the declaration ({'; '.join(lines)}). Nothing was changed. "
        f"Declare what is there, or take it over with 'pulumi import kafka-topology:index:ConsumerGroup {name} "
        f"{name}' and apply the difference as an update."
    )


def plan_config(previous: Iterable[str], declared: DeclaredGroup, live: LiveGroup) -> ConfigChange:
    return ConfigChange(
        set={k: v for k, v in declared.config.items() if not same(v, live.config.get(k))},
        reset=frozenset(k for k in previous if k not in declared.config and k in live.config),
    )


def warnings(declared: DeclaredGroup, live: LiveGroup) -> tuple[str, ...]:
    lag = live.lag
    if declared.max_lag is None or lag is None or lag <= declared.max_lag:
        return ()
    behind = (
        f"group '{declared.name}' is {lag} records behind, more than its maxLag of {declared.max_lag}: look at its "
        "consumers, or declare the lag that is fine."
    )
    return (behind,)
