"""Reads since when records wait for the declared groups, and what open transactions keep from them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from .group_log import LOGS, reading_committed
from .snapshot import Observation
from .waits import Position, Waits, limits_of, read_waits, timed_groups, unread_waits

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from ...cluster.live.groups import Partition
    from ...cluster.live.transactions import OpenTransaction
    from ...cluster.outcomes import Outcome
    from ...topology.model.declared import Topology
    from .snapshot import Survey


@dataclass(frozen=True, slots=True)
class HeldBack:
    """How many offsets are after the first open transaction, since when, and which transactions those are."""

    offsets: Mapping[Partition, int]
    waits: Waits
    transactions: Mapping[Partition, Outcome[tuple[OpenTransaction, ...]]] = field(default_factory=dict)


def _take_waits(survey: Survey) -> Mapping[str, Waits]:
    careful = reading_committed(survey.topology)
    positions = {
        name: Position({p: log.positions[p] for p, lag in log.lags.items() if lag}, name in careful)
        for name, log in survey.read(LOGS).items()
    }
    return read_waits(survey, positions, timed_groups(survey.topology))


WAITS: Final = Observation("waits", _take_waits, unread_waits)
"""Since when records wait for each group."""


def _take_held(survey: Survey) -> Mapping[str, HeldBack]:
    """What open transactions keep from groups whose lag is limited, and whose transactions they are."""
    limited = limits_of(survey.topology)
    logs = {name: log for name, log in survey.read(LOGS).items() if log.held and name in limited}
    # The begin of a transaction is read like any consumer reads that does not wait for its end.
    waits = read_waits(survey, {name: Position(log.stable) for name, log in logs.items()}, logs.keys())
    partitions = frozenset(p for log in logs.values() for p in log.held)
    by_partition = survey.cluster.open_transactions(partitions) if partitions else {}
    return {
        name: HeldBack(log.held, waits[name], {p: by_partition[p] for p in log.held if p in by_partition})
        for name, log in logs.items()
    }


def _unread_held(topology: Topology, held: Mapping[str, HeldBack]) -> Iterator[str]:
    yield from unread_waits(topology, {name: each.waits for name, each in held.items()})


HELD_BACK: Final = Observation("held_back", _take_held, _unread_held)
"""What open transactions keep from groups that read committed records only."""
