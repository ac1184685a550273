"""Compares a declared group with the live one: plans moves of its offsets, and refuses some."""

from __future__ import annotations

from dataclasses import dataclass
from hashlib import sha256
from shlex import quote
from typing import TYPE_CHECKING, Final

from kafka_topology.cluster.live.groups import LiveGroup, Partition
from kafka_topology.topology.kafka.equal import same

from ..any_group.plan import moved_to, refused_in_use

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from kafka_topology.cluster.live.groups import Committed, Position

    from ..any_group.inputs import Reset
    from .inputs import DeclaredGroup

# Metadata of each offset that we commit, which distinguishes our commits from the group's own.
_MARK: Final = "kafka-topology "
START_MARK: Final = f"{_MARK}start"


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
    """The start of a new group. It never moves an offset that somebody else committed."""
    if declared.start is None or live.shape.members or not is_new(live):
        return None
    left = live.partitions - live.offsets.keys()
    return OffsetMove(declared.start, left, START_MARK) if left else None


def is_new(live: LiveGroup) -> bool:
    """Whether it has no offsets, or only those of an interrupted creation of ours."""
    return all(committed.note == START_MARK for committed in live.offsets.values())


def is_ours(committed: Committed) -> bool:
    """Whether the offset was committed by us, and not by a consumer since."""
    return committed.note.startswith(_MARK)


def reset_mark(reset: Reset) -> str:
    return f"{_MARK}reset {sha256(reset.token.encode()).hexdigest()[:16]}"


def plan_reset(reset: Reset, live: LiveGroup, failed: Iterable[Partition] = ()) -> OffsetMove | None:
    """Moves every partition once: `failed` has the partitions that are left after an attempt in this run."""
    mark = reset_mark(reset)
    begun = any(committed.note == mark for committed in live.offsets.values())
    left = frozenset(failed) if begun else live.partitions
    return OffsetMove(reset.to, left, mark) if left else None


def why_not_reset(declared: DeclaredGroup, live: LiveGroup) -> str | None:
    return refused_in_use(f"group '{declared.name}'", live, "its offsets are not moved while consumers run")


def reset_warning(declared: DeclaredGroup, live: LiveGroup) -> str:
    where = moved_to(declared)
    lag = "an unknown lag" if live.lag is None else f"a lag of {live.lag}"
    return (
        f"group '{declared.name}': the offsets of {len(live.partitions)} partitions, now with {lag}, are moved to "
        f"{where}. The records in between are read again or skipped."
    )


def why_not_delete(declared: DeclaredGroup, live: LiveGroup) -> str | None:
    return refused_in_use(f"group '{declared.name}'", live, "a group in use is not deleted")


def config_differences(declared: DeclaredGroup, live: LiveGroup) -> tuple[str, ...]:
    """Declared keys with a different value on the cluster. A key that is not set there is no difference."""
    return tuple(
        f"{key}: declared {value}, live {live.config[key]}"
        for key, value in sorted(declared.config.items())
        if key in live.config and not same("group", key, value, live.config[key])
    )


def why_not_adopt(declared: DeclaredGroup, lines: Iterable[str]) -> str:
    name = quote(declared.name)
    return (
        f"group '{declared.name}' has config that differs from the declaration ({'; '.join(lines)}). Nothing was "
        f"changed. Declare what is there, or take it over with 'pulumi import kafka-topology:index:ConsumerGroup "
        f"{name} {name}' and apply the difference as an update."
    )


def adoption_warnings(declared: DeclaredGroup, live: LiveGroup) -> tuple[str, ...]:
    """What a creation leaves as it is on a group that exists."""
    found: list[str] = []
    if not is_new(live) or live.shape.members:
        found.append(
            f"group '{declared.name}' exists ({live.shape.state}, {live.shape.members} members) and is adopted: "
            "none of its offsets is moved."
        )
    if declared.reset is not None:
        found.append(
            f"group '{declared.name}' is new to this stack: its reset is noted and not done. Give it a new token to "
            "move the offsets."
        )
    return tuple(found)
