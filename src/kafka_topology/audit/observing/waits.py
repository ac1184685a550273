"""Since when records wait for a group: the timestamp of the oldest record that it has not read, on each partition."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Final

from kafka_topology.topology.model.words import counted, listed

from ...cluster.outcomes import Failure
from .live_topics import TOPICS

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping
    from collections.abc import Set as AbstractSet

    from ...cluster.live.groups import Partition
    from ...topology.model.declared import Topology
    from .snapshot import Survey

MOST_READ: Final = 1_000
"""Partitions whose oldest waiting record is read in one audit, for groups whose `maxLag` is a time."""
MOST_SHOWN: Final = 100
"""And for all others, where nothing is compared with it: each costs up to 64 KiB."""


@dataclass(frozen=True, slots=True)
class Waits:
    """The oldest waiting record of each partition, seen `at` a moment. Those in `unread` are unknown."""

    at: datetime
    oldest: Mapping[Partition, datetime] = field(default_factory=dict)
    unread: frozenset[Partition] = frozenset()

    def ages(self) -> dict[Partition, timedelta]:
        """A record from the future, of a producer whose clock is ahead, counts as new if no other waits behind it."""
        return {partition: max(self.at - written, timedelta()) for partition, written in self.oldest.items()}


@dataclass(frozen=True, slots=True)
class Position:
    """Where a group goes on reading, on the partitions where something waits for it."""

    offsets: Mapping[Partition, int]
    committed_only: bool = False


def read_waits(survey: Survey, positions: Mapping[str, Position], timed: AbstractSet[str]) -> dict[str, Waits]:
    """A few requests to each leader, for all groups. `timed` are groups whose time is compared."""
    at = datetime.now(UTC)
    found: dict[tuple[bool, Partition, int], datetime] = {}
    compared = _asked(positions, positions.keys() & timed)[:MOST_READ]
    shown = _asked(positions, positions.keys() - timed)[:MOST_SHOWN]
    chosen = list(dict.fromkeys((*compared, *shown)))
    leaders = leaders_of(survey) if chosen else {}
    for committed_only in {each[0] for each in chosen}:
        offsets = [(partition, offset) for only, partition, offset in chosen if only is committed_only]
        written = survey.cluster.survey.oldest_after(offsets, leaders, at, committed_only=committed_only)
        found |= {(committed_only, *each): moment for each, moment in written.items()}
    return {
        name: Waits(
            at,
            {
                partition: found[key]
                for partition, offset in position.offsets.items()
                if (key := (position.committed_only, partition, offset)) in found
            },
            frozenset(p for p, offset in position.offsets.items() if (position.committed_only, p, offset) not in found),
        )
        for name, position in positions.items()
    }


def _asked(positions: Mapping[str, Position], names: Collection[str]) -> list[tuple[bool, Partition, int]]:
    """Two groups may wait for the same record."""
    asked = dict.fromkeys(
        (positions[name].committed_only, partition, offset)
        for name in sorted(names)
        for partition, offset in sorted(positions[name].offsets.items())
    )
    return list(asked)


def leaders_of(survey: Survey) -> dict[Partition, int]:
    return {
        (name, number): placed.leader
        for name, topic in survey.read(TOPICS).items()
        if not isinstance(topic, Failure)
        for number, placed in enumerate(topic.placement)
        if placed.leader is not None
    }


def limits_of(topology: Topology) -> dict[str, int | timedelta]:
    """`maxLag` of groups of all kinds."""
    limits = {name: group.max_lag for name, group in topology.consumer_groups.items()}
    limits |= {name: application.max_lag for name, application in topology.streams.items()}
    limits |= {name: group.max_lag for name, group in topology.share_groups.items()}
    return {name: limit for name, limit in limits.items() if limit is not None}


def timed_groups(topology: Topology) -> frozenset[str]:
    """Groups of all kinds whose `maxLag` is a time."""
    return frozenset(name for name, limit in limits_of(topology).items() if isinstance(limit, timedelta))


def unread_waits(topology: Topology, waits: Mapping[str, Waits]) -> Iterator[str]:
    """Only where a time is declared: nobody compares the others."""
    for name in sorted(timed_groups(topology) & waits.keys()):
        unread = waits[name].unread
        if unread:
            which = f"{counted(len(unread), 'partition')} ({partitions_text(unread)})"
            yield (
                f"reading the oldest record that waits for {name} on {which}: how long it waits is unknown; make sure "
                "that the leaders answer, that the principal has Read on the topic, and that no quota throttles its "
                "reads"
            )


def partitions_text(partitions: Iterable[Partition]) -> str:
    return listed([f"{topic} {number}" for topic, number in sorted(partitions)])
