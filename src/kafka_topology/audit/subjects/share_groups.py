"""Checks whether share groups exist, are read, and have their settings."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING, Any, Final

from kafka_topology.topology.kafka.equal import same
from kafka_topology.topology.model.units import format_span, span_text
from kafka_topology.topology.model.words import agreeing, counted, listed

from ...cluster.outcomes import Failure
from ...topology.model.findings import Severity
from ..check import About, Check, found, value_text
from ..observing.group_settings import WithoutSettings, unread_groups
from ..observing.snapshot import Asked, Observation, of_each
from ..observing.waits import Position, Waits, read_waits, timed_groups, unread_waits
from ..subject import Subject, without_options
from .groups import declared_ids

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from ...cluster.live.groups import Partition
    from ...cluster.live.share_groups import LiveShareGroup, ShareOffset
    from ...cluster.outcomes import Outcome
    from ...topology.model.declared import ShareGroup, Topology
    from ...topology.model.findings import Finding
    from ..observing.snapshot import Snapshot, Survey

MISSING: Final = Check(
    "KTA311", "share-group-missing", Severity.ERROR,
    "A declared share group is not on the cluster. Without a declared start, this is only advice.",
    "`pulumi up` sets the declared start. Without it, the group starts where `share.auto.offset.reset` says when its "
    "first member joins.",
    "Run `pulumi refresh` and `pulumi up` before the consumers start. A group without a declared start appears when "
    "its first member joins.",
    ("R20", "R21"),
)  # fmt: skip
EMPTY: Final = Check(
    "KTA312", "share-group-without-members", Severity.ADVICE,
    "A share group has no members. If records are waiting for it, this is a warning.",
    "Nothing processes records for the group.",
    "Start its consumers, or remove the share group from the topology.",
    ("R22",),
    transient=True,
)  # fmt: skip
MEMBERS_DIFFER: Final = Check(
    "KTA313", "share-group-members-differ", Severity.WARNING,
    "The number of members of a share group differs from the declared one.",
    "Fewer members may not keep up with the load that you planned for. More members cost money.",
    "Start or stop members, or declare the number of running members.",
    ("R5",),
    transient=True,
)  # fmt: skip
CONFIG_DIFFERS: Final = Check(
    "KTA314", "share-group-config-differs", Severity.ERROR,
    "A setting of a share group differs from the declared value, or is not set.",
    "The brokers use these settings: where the group starts, how long a consumer may hold a record, and whether it "
    "gets records of aborted transactions.",
    "Run `pulumi refresh` and `pulumi up` to set the declared value, or declare the value that you want.",
    ("R23",),
)  # fmt: skip
UNDECLARED: Final = Check(
    "KTA315", "share-group-undeclared", Severity.WARNING,
    "A share group on the cluster is inside the ownership, but not declared.",
    "Group names are global. An undeclared group may be left over from a test, or belong to an application that nobody "
    "knows about.",
    "Declare it, or delete it if nothing uses it.",
    ("R21",),
)  # fmt: skip
OTHER_TYPE: Final = Check(
    "KTA316", "share-group-of-other-type", Severity.ERROR,
    "A declared share group is another type of group on the cluster.",
    "Group ids are one namespace: Kafka refuses share consumers while a consumer group has the id.",
    "Rename the share group, or delete the other group if nothing uses it.",
    ("R21",),
)  # fmt: skip


LAG_ABOVE_MAX: Final = Check(
    "KTA317", "share-group-lag-above-maximum", Severity.ERROR,
    "A share group is further behind than its `maxLag`.",
    "`maxLag` is the lag that the application can tolerate, and the group exceeds it. The lag of a partition counts "
    "from the group's start offset to the end of the log, so it includes records that consumers hold at the moment.",
    "Check its consumers, add members, or raise `maxLag`.",
    ("R22",),
    transient=True,
)  # fmt: skip


def _take(survey: Survey) -> Mapping[str, Outcome[LiveShareGroup]]:
    if not survey.topology.share_groups:
        return {}
    # Imported late: every command reads the checks of an audit, and only an audit needs these.
    from ...provider.resources.share_group.apply import ShareGroupApplier  # noqa: PLC0415
    from ...provider.resources.share_group.descriptor import desired  # noqa: PLC0415
    from ...provider.resources.share_group.inputs import parse  # noqa: PLC0415

    inputs: dict[str, Any] = {resource.name: dict(resource.inputs) for resource in desired(survey.topology)}
    asked = {name: parse(given) for name, given in inputs.items()}
    admin = WithoutSettings(survey.cluster.share_groups)
    applier = ShareGroupApplier(admin, lambda _: False)
    return admin.judged(survey.patient.each(asked, lambda names: applier.look({name: asked[name] for name in names})))


def _with_settings(topology: Topology) -> frozenset[str]:
    return frozenset(name for name, group in topology.share_groups.items() if group.group_config)


def _take_lags(survey: Survey) -> Mapping[tuple[str, Partition], Outcome[int]]:
    """Kafka 4.2 counts the lag itself. Before that it is the distance to the end of the log."""
    groups = {name: group for name, group in survey.read(SHARE_GROUPS).items() if not isinstance(group, Failure)}
    known = {(name, at): offset for name, group in groups.items() for at, offset in group.offsets.items()}
    asked = {at for (_, at), offset in known.items() if offset.lag is None}
    ends = survey.patient.each(asked, survey.cluster.ends_of) if asked else {}
    return {
        (name, at): offset.lag if offset.lag is not None else _behind(ends[at], offset)
        for (name, at), offset in known.items()
    }


def _behind(end: Outcome[int], offset: ShareOffset) -> Outcome[int]:
    return end if isinstance(end, Failure) else max(0, end - offset.start)


def _take_waits(survey: Survey) -> Mapping[str, Waits]:
    groups = {name: group for name, group in survey.read(SHARE_GROUPS).items() if not isinstance(group, Failure)}
    late = {key for key, lag in survey.read(SHARE_LAGS).items() if isinstance(lag, int) and lag}
    positions = {
        name: Position({at: offset.start for at, offset in group.offsets.items() if (name, at) in late})
        for name, group in groups.items()
    }
    return read_waits(survey, positions, timed_groups(survey.topology))


def share_lag(live: Snapshot, name: str) -> int | None:
    """The lag over all partitions that could be read; None if there is none."""
    known = [lag for (group, _), lag in live.of(SHARE_LAGS).items() if group == name and not isinstance(lag, Failure)]
    return sum(known) if known else None


def _take_names(survey: Survey) -> Asked[frozenset[str]]:
    if survey.topology.ownership.groups is None:
        return None
    return survey.patient.one(survey.cluster.share_groups.group_names)


SHARE_GROUPS: Final = Observation("share_groups", _take, unread_groups("share groups", _with_settings))
"""The declared share groups."""
SHARE_LAGS: Final = Observation("share_lags", _take_lags, of_each("partitions of share groups"))
"""The lag on each partition that a share group has a start offset on, by group and partition."""
SHARE_WAITS: Final = Observation("share_waits", _take_waits, unread_waits)
"""Since when records wait for each share group."""
SHARE_GROUP_NAMES: Final = Observation("share_group_names", _take_names)
"""All share groups that the principal can see."""


def share_group_findings(topology: Topology, live: Snapshot) -> Iterator[Finding]:
    for group in topology.share_groups.values():
        seen = live.of(SHARE_GROUPS).get(group.name)
        if seen is not None and not isinstance(seen, Failure):
            lag = share_lag(live, group.name)
            yield from _group(group, seen, lag)
            yield from _late(group, lag, live.of(SHARE_WAITS).get(group.name))
    yield from _undeclared(topology, live)


def _group(group: ShareGroup, live: LiveShareGroup, lag: int | None) -> Iterator[Finding]:
    about = About("shareGroup", group.name, group.location)
    if live.shape.other_type is not None:
        yield found(
            OTHER_TYPE,
            about,
            about.declared,
            f"{group.name} is a {live.shape.other_type} group on the cluster; expected a share group",
            "rename the share group, or delete the other group if nothing uses it",
            expected="share",
            actual=live.shape.other_type,
        )
        return
    if not live.is_there:
        yield _missing(about, is_started=group.start is not None)
    elif not live.shape.members:
        yield _empty(about, live, lag)
    elif group.members is not None and live.shape.members != group.members:
        yield found(
            MEMBERS_DIFFER,
            about,
            group.place("members"),
            f"{group.name} has {counted(live.shape.members, 'member')}; expected {group.members}",
            "start or stop members, or declare the number of running members",
            expected=group.members,
            actual=live.shape.members,
        )
    yield from _settings(group, about, live)


def _missing(about: About, *, is_started: bool) -> Finding:
    if is_started:
        message = f"{about.name} is not on the cluster, and its declared start is not set; expected a share group"
        fix = "run pulumi refresh and pulumi up before its consumers start"
    else:
        message = f"{about.name} is not on the cluster: no member has joined it yet"
        fix = "start its consumers"
    severity = None if is_started else Severity.ADVICE
    return found(MISSING, about, about.declared, message, fix, expected="a share group", severity=severity)


def _late(group: ShareGroup, lag: int | None, waits: Waits | None) -> Iterator[Finding]:
    limit, ages = group.max_lag, waits.ages() if waits is not None else {}
    if limit is None or lag is None:
        return
    oldest = max(ages.values(), default=timedelta())
    if oldest <= limit if isinstance(limit, timedelta) else lag <= limit:
        return
    wanted = format_span(limit) if isinstance(limit, timedelta) else f"{limit:,}"
    aged = f", the oldest {span_text(oldest)} old" if ages else ""
    yield found(
        LAG_ABOVE_MAX,
        About("shareGroup", group.name, group.location),
        group.place("maxLag"),
        f"{group.name} is {counted(lag, 'record')} behind{aged}; expected at most {wanted}",
        "check its consumers, or raise `maxLag`",
        expected=wanted if isinstance(limit, timedelta) else limit,
        actual=span_text(oldest) if isinstance(limit, timedelta) else lag,
        seconds={f"{topic} {at}": round(age.total_seconds(), 3) for (topic, at), age in sorted(ages.items())},
    )


def _empty(about: About, live: LiveShareGroup, lag: int | None) -> Finding:
    waiting = f", and {counted(lag, 'record')} {agreeing(lag, 'waits', 'wait')} for it" if lag else ""
    return found(
        EMPTY,
        about,
        about.declared,
        f"{about.name} is empty: it has no members{waiting}; expected at least one",
        "start its consumers, or remove it from the topology",
        expected="at least 1",
        actual=0,
        severity=Severity.WARNING if lag else None,
        state=live.shape.state,
        lag=lag,
    )


def _settings(group: ShareGroup, about: About, live: LiveShareGroup) -> Iterator[Finding]:
    for key, wanted in sorted(group.group_config.items()) if live.unread_config is None else ():
        actual = live.config.get(key)
        if not same("group", key, wanted, actual):
            yield found(
                CONFIG_DIFFERS,
                about,
                group.place("groupConfig", key),
                f"{group.name}: {key} is {value_text(key, actual)} on the cluster; expected {value_text(key, wanted)}",
                "run pulumi refresh and pulumi up to set it, or declare what is there",
                expected=wanted,
                actual=actual,
                setting=key,
            )


def _undeclared(topology: Topology, live: Snapshot) -> Iterator[Finding]:
    owned, names = topology.ownership.groups, live.of(SHARE_GROUP_NAMES)
    if owned is None or names is None or isinstance(names, Failure):
        return
    for name in sorted(names - declared_ids(topology)):
        if name.startswith(owned):
            yield found(
                UNDECLARED,
                About("shareGroup", name, topology.ownership.location),
                topology.ownership.place("groups"),
                f"{name} is on the cluster and inside the ownership ({listed(owned)}), and is not declared",
                "declare it, or delete it if nothing uses it",
                actual="a share group",
            )


SUBJECT: Final = Subject(
    order=36,
    kinds=("ShareGroup",),
    words=("shareGroup",),
    compares={
        "share groups": "missing, of another type, without members, more or fewer members than declared, further "
        "behind than `maxLag`; settings of the group; undeclared share groups inside the ownership"
    },
    reads=(SHARE_GROUPS, SHARE_LAGS, SHARE_WAITS, SHARE_GROUP_NAMES),
    checks=(MISSING, EMPTY, MEMBERS_DIFFER, CONFIG_DIFFERS, UNDECLARED, OTHER_TYPE, LAG_ABOVE_MAX),
    compare=without_options(share_group_findings),
)
