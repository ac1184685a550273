"""Compares a declared group with the live one: plans moves of its offsets, and refuses some."""

from __future__ import annotations

from dataclasses import dataclass
from hashlib import sha256
from typing import TYPE_CHECKING, Final

from kafka_topology.cluster.live.groups import LiveGroup, Partition
from kafka_topology.cluster.live.topics import ConfigChange
from kafka_topology.topology.kafka.equal import same

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from kafka_topology.cluster.live.groups import Position

    from .inputs import DeclaredGroup, Reset

# Metadata of each offset that we commit, which distinguishes our commits from the group's own.
START_MARK: Final = "kafka-topology start"


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


def reset_mark(reset: Reset) -> str:
    return f"kafka-topology reset {sha256(reset.token.encode()).hexdigest()[:16]}"


def plan_reset(reset: Reset, live: LiveGroup, failed: Iterable[Partition] = ()) -> OffsetMove | None:
    """Moves every partition once: `failed` has the partitions that are left after an attempt in this run."""
    mark = reset_mark(reset)
    begun = any(committed.note == mark for committed in live.offsets.values())
    left = frozenset(failed) if begun else live.partitions
    return OffsetMove(reset.to, left, mark) if left else None


def why_not_reset(declared: DeclaredGroup, live: LiveGroup) -> str | None:
    return _refused_in_use(declared, live, "its offsets are not moved while consumers run")


def reset_warning(declared: DeclaredGroup, reset: Reset, live: LiveGroup) -> str:
    where = reset.to if isinstance(reset.to, str) else reset.to.isoformat()
    lag = "an unknown lag" if live.lag is None else f"a lag of {live.lag}"
    return (
        f"group '{declared.name}': the offsets of {len(live.partitions)} partitions, now with {lag}, are moved to "
        f"{where}. The records in between are read again or skipped."
    )


def why_not_delete(declared: DeclaredGroup, live: LiveGroup) -> str | None:
    return _refused_in_use(declared, live, "a group in use is not deleted")


def _refused_in_use(declared: DeclaredGroup, live: LiveGroup, refusal: str) -> str | None:
    if not live.shape.members:
        return None
    return (
        f"group '{declared.name}' has {live.shape.members} members and is {live.shape.state}: {refusal}. Stop all "
        "members, then try again."
    )


def why_protected(declared: DeclaredGroup) -> str | None:
    if declared.deletion != "protected":
        return None
    return (
        f"group '{declared.name}' is protected and is not deleted: its offsets would be lost. Declare 'deletion: "
        "allowed' for it, apply that, and then remove it. To only stop managing it, run 'pulumi state delete'."
    )


def config_differences(declared: DeclaredGroup, live: LiveGroup) -> tuple[str, ...]:
    """Declared keys with a different value on the cluster. A key that is not set there is no difference."""
    return tuple(
        f"{key}: declared {value}, live {live.config[key]}"
        for key, value in sorted(declared.config.items())
        if key in live.config and not same("group", key, value, live.config[key])
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
        set={k: v for k, v in declared.config.items() if not same("group", k, v, live.config.get(k))},
        reset=frozenset(k for k in previous if k not in declared.config and k in live.config),
    )


def warnings(declared: DeclaredGroup, live: LiveGroup) -> tuple[str, ...]:
    lag = live.lag
    if declared.max_lag is None or lag is None or lag <= declared.max_lag:
        return ()
    behind = (
        f"group '{declared.name}' is {lag} records behind, more than its maxLag of {declared.max_lag}: check its "
        "consumers, or raise maxLag."
    )
    return (behind,)
