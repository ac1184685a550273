"""Where groups go on reading, and how many records wait for them there."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING, Final

from ...topology.kafka.clients.libraries import given
from .waits import MOST_READ, MOST_SHOWN, leaders_of, limits_of

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping

    from ...cluster.live.groups import LiveGroup, Partition, Position
    from ...topology.model.declared import StreamsApplication, Topology
    from .snapshot import Survey

_RESET: Final = "auto.offset.reset"
_FEW: Final = 16  # offsets: so close to the end, it is always worth a request to tell records from markers
_COUNTABLE: Final = 1_000  # offsets


@dataclass(frozen=True, slots=True)
class Positions:
    """The next offset of a group in each partition where that is known. Those in `unread` did not answer."""

    offsets: Mapping[Partition, int] = field(default_factory=dict)
    unread: frozenset[Partition] = frozenset()


def declared_begins(topology: Topology) -> dict[str, Position]:
    """Where groups begin without an offset, if that is declared. At `latest` nothing waits, so it is left out."""
    found: dict[str, Position] = {}
    for group in topology.consumer_groups.values():
        begin = group.start if group.start is not None else given(group).get(_RESET)
        if isinstance(begin, datetime):
            found[group.name] = begin
        elif begin == "earliest":
            found[group.name] = "earliest"
    for application in topology.streams.values():
        if _reset_of(application) == "earliest":
            found[application.application_id] = "earliest"
    return found


def _reset_of(application: StreamsApplication) -> str:
    """Unlike other consumers, those of Kafka Streams begin at the earliest record."""
    names = (f"{prefix}{_RESET}" for prefix in ("main.consumer.", "consumer.", ""))
    return next((application.config[name] for name in names if name in application.config), "earliest")


def read_positions(
    survey: Survey, groups: Mapping[str, LiveGroup], starts: Mapping[Partition, int]
) -> dict[str, Positions]:
    """What was deleted before a group read it waits no longer, so no position is before the start of the log.

    Members may have read much more than they committed, or never commit. So only a group without members is known to go
    on at its declared start in partitions where it has no offset.
    """
    begins = {
        name: begin
        for name, begin in declared_begins(survey.topology).items()
        if name in groups and not groups[name].shape.members
    }
    at_times: dict[datetime, dict[Partition, int]] = {}
    for time in {begin for begin in begins.values() if isinstance(begin, datetime)}:
        wanted = {p for name, begin in begins.items() if begin == time for p in _without_offset(groups[name])}
        at_times[time] = dict(_offsets_at(survey, time, wanted)) if wanted else {}
    found: dict[str, Positions] = {}
    for name, group in groups.items():
        committed = {p: max(at.offset, starts.get(p, 0)) for p, at in group.offsets.items()}
        if name not in begins:
            found[name] = Positions(committed)
            continue
        begin = begins[name]
        first = at_times[begin] if isinstance(begin, datetime) else starts
        without = _without_offset(group)
        found[name] = Positions({**committed, **{p: first[p] for p in without & first.keys()}}, without - first.keys())
    return found


def _without_offset(group: LiveGroup) -> frozenset[Partition]:
    return group.partitions - group.offsets.keys()


def _offsets_at(survey: Survey, time: datetime, wanted: Collection[Partition]) -> Iterator[tuple[Partition, int]]:
    answers = survey.patient.each(wanted, lambda asked: survey.cluster.groups.offsets_at(time, asked))
    return ((partition, offset) for partition, offset in answers.items() if isinstance(offset, int))


def count_records(
    survey: Survey,
    positions: Mapping[str, Positions],
    lags: Mapping[str, dict[Partition, int]],
    committed_only: Collection[str],
) -> set[tuple[str, Partition]]:
    """Replaces offsets by records in `lags`, because markers, aborted and compacted records have offsets, too.

    Returns where that worked: not where too many offsets wait, or nobody may read them. Where a limit depends on it,
    records are counted first.
    """
    chosen = _chosen(survey.topology, lags)
    found: set[tuple[str, Partition]] = set()
    for careful in (True, False):
        part = [(name, partition) for name, partition in chosen if (name in committed_only) is careful]
        asked: dict[Partition, set[int]] = {}
        for name, partition in part:
            asked.setdefault(partition, set()).add(positions[name].offsets[partition])
        if not asked:
            continue
        records = survey.cluster.survey.records_after(asked, leaders_of(survey), committed_only=careful)
        for name, partition in part:
            at = (partition, positions[name].offsets[partition])
            if at in records:
                lags[name][partition] = records[at]
                found.add((name, partition))
    return found


def _chosen(topology: Topology, lags: Mapping[str, dict[Partition, int]]) -> list[tuple[str, Partition]]:
    limits = limits_of(topology)
    late = {n for n, limit in limits.items() if not isinstance(limit, int) or sum(lags.get(n, {}).values()) > limit}
    waiting = [(name, partition, lag) for name, each in lags.items() for partition, lag in each.items() if lag]
    few = [(name, partition) for name, partition, lag in waiting if lag <= _FEW]
    more = sorted((name, partition) for name, partition, lag in waiting if _FEW < lag <= _COUNTABLE)
    compared = [each for each in more if each[0] in late]
    shown = [each for each in more if each[0] not in late]
    return few + compared[:MOST_READ] + shown[:MOST_SHOWN]
