"""Reads the declared groups, and how their offsets compare with the logs that they read."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from kafka_topology.topology.model.words import counted, listed

from ...cluster.outcomes import Failure
from .group_settings import WithoutSettings, unread_groups
from .positions import count_records, read_positions
from .snapshot import Asked, Observation

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping

    from ...cluster.live.groups import LiveGroup, Partition
    from ...cluster.outcomes import Outcome
    from ...provider.resources.group.inputs import DeclaredGroup
    from ...topology.model.declared import Topology
    from .snapshot import Survey


@dataclass(frozen=True, slots=True)
class GroupLog:
    """Where the logs start, and how many records wait for the group. Partitions in `unread` miss one or the other.

    The lag is the number of records that the group can still get: from its committed offset or, if records were deleted
    meanwhile, from the start of the log. Where a group without members has no offset, it is that from the declared
    start.

    For a group that reads committed records only, `lags` end at the first open transaction: `held` has what was written
    after its begin, and `stable` where that is.
    """

    starts: Mapping[Partition, int] = field(default_factory=dict)
    lags: Mapping[Partition, int] = field(default_factory=dict)
    unread: frozenset[Partition] = frozenset()
    held: Mapping[Partition, int] = field(default_factory=dict)
    stable: Mapping[Partition, int] = field(default_factory=dict)
    # Where the lag is a number of offsets, and some may be of aborted records and markers, which the group never gets.
    uncounted: frozenset[Partition] = frozenset()
    positions: Mapping[Partition, int] = field(default_factory=dict)  # where the group goes on reading

    @property
    def lag(self) -> int | None:
        """None if nobody knows where the group goes on: it has committed nothing, and no start is declared."""
        return sum(self.lags.values()) if self.lags else None


def declared_groups(topology: Topology) -> dict[str, DeclaredGroup]:
    """Consumer groups and streams applications: to Kafka, both are groups."""
    # Imported late: every command reads the checks of an audit, and only an audit needs these.
    from ...provider.resources.group.descriptor import desired as desired_groups  # noqa: PLC0415
    from ...provider.resources.group.inputs import DeclaredGroup  # noqa: PLC0415
    from ...provider.resources.group.inputs import parse as parse_group  # noqa: PLC0415

    groups: dict[str, DeclaredGroup] = {}
    for resource in desired_groups(topology):
        inputs: dict[str, Any] = dict(resource.inputs)
        groups[resource.name] = parse_group(inputs)
    for application in topology.streams.values():
        groups[application.application_id] = DeclaredGroup(application.application_id, dict.fromkeys(application.reads))
    return groups


def _take(survey: Survey) -> Mapping[str, Outcome[LiveGroup]]:
    asked = declared_groups(survey.topology)
    if not asked:
        return {}
    from ...provider.resources.group.apply import GroupApplier  # noqa: PLC0415

    admin = WithoutSettings(survey.cluster.groups)
    applier = GroupApplier(admin, lambda _: False)
    return admin.judged(survey.patient.each(asked, lambda names: applier.look({name: asked[name] for name in names})))


def _with_settings(topology: Topology) -> frozenset[str]:
    return frozenset(name for name, group in topology.consumer_groups.items() if group.group_config)


def _take_names(survey: Survey) -> Asked[frozenset[str]]:
    if survey.topology.ownership.groups is None:
        return None
    groups = survey.patient.one(survey.cluster.survey.group_names)
    applications = survey.patient.one(survey.cluster.survey.application_names)
    if isinstance(groups, Failure):
        return groups
    return applications if isinstance(applications, Failure) else groups | applications


GROUPS: Final = Observation("groups", _take, unread_groups("groups", _with_settings))
"""The declared groups and streams applications."""
GROUP_NAMES: Final = Observation("group_names", _take_names)
"""All groups that the principal can see."""


def _take_logs(survey: Survey) -> Mapping[str, GroupLog]:
    """A few requests for all groups: the starts, the stable ends, and the last batches of those that are close."""
    groups = {name: group for name, group in survey.read(GROUPS).items() if not isinstance(group, Failure)}
    committed_only = reading_committed(survey.topology)
    starts = _numbers(survey, groups, lambda asked: survey.cluster.groups.offsets_at("earliest", asked))
    careful = {name: group for name, group in groups.items() if name in committed_only}
    stable = _numbers(survey, careful, lambda asked: survey.cluster.committed_offsets_at("latest", asked))
    ends = {name: stable if name in careful else group.ends for name, group in groups.items()}
    positions = read_positions(survey, groups, starts)
    lags = {
        name: {p: max(0, ends[name][p] - offset) for p, offset in each.offsets.items() if p in ends[name]}
        for name, each in positions.items()
    }
    offsets = {name: dict(each) for name, each in lags.items()}
    counted_in = count_records(survey, positions, lags, committed_only)
    return {
        name: GroupLog(
            {p: starts[p] for p in group.partitions & starts.keys()},
            lags[name],
            (group.partitions - (starts.keys() & ends[name].keys())) | positions[name].unread,
            *_held(group, stable if name in careful else {}),
            frozenset(p for p, lag in offsets[name].items() if lag and (name, p) not in counted_in)
            if name in careful
            else frozenset(),
            positions[name].offsets,
        )
        for name, group in groups.items()
    }


def _held(group: LiveGroup, stable: Mapping[Partition, int]) -> tuple[dict[Partition, int], dict[Partition, int]]:
    """How much is after the first open transaction of each partition, and where that begins."""
    held = {
        p: group.ends[p] - stable[p]
        for p in group.offsets
        if p in stable and p in group.ends and group.ends[p] > stable[p]
    }
    return held, {partition: stable[partition] for partition in held}


def reading_committed(topology: Topology) -> frozenset[str]:
    """Groups that an open transaction stops: what it wrote is not waiting for them."""
    from ...topology.kafka.effective import EffectiveSettings  # noqa: PLC0415

    settings = EffectiveSettings(topology)
    groups = (
        group.name
        for group in topology.consumer_groups.values()
        if group.delivery == "exactly-once"
        or ((level := settings.consumer(group, "isolation.level")) is not None and level.value == "read_committed")
    )
    streams = (each.application_id for each in topology.streams.values() if each.delivery == "exactly-once")
    return frozenset((*groups, *streams))


def _numbers(survey: Survey, groups: Mapping[str, LiveGroup], ask: Any) -> dict[Partition, int]:
    wanted: Collection[Partition] = frozenset().union(*(group.partitions for group in groups.values()))
    found = survey.patient.each(wanted, ask) if wanted else {}
    return {partition: number for partition, number in found.items() if isinstance(number, int)}


def _unread(topology: Topology, logs: Mapping[str, GroupLog]) -> Iterator[str]:
    """Partitions that could not be read would otherwise vanish from the lag."""
    del topology
    for name, log in logs.items():
        if log.unread:
            which = listed([f"{topic} {number}" for topic, number in sorted(log.unread)])
            what = f"{counted(len(log.unread), 'partition')} that {name} reads ({which})"
            yield f"reading the offsets of {what}: no answer, so its lag there is unknown"


LOGS: Final = Observation("logs", _take_logs, _unread)
"""How the offsets of each group compare with the logs."""
