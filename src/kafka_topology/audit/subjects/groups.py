"""Checks whether consumer groups and streams applications exist, read, and keep up."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from kafka_topology.topology.kafka.equal import same
from kafka_topology.topology.model.words import counted, listed

from ...cluster.live.groups import NOT_THERE
from ...cluster.outcomes import Failure
from ...topology.model.findings import Severity
from ..check import About, Check, found, value_text
from ..snapshot import Asked, Observation, of_each
from ..subject import Subject, without_options

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from ...cluster.live.groups import LiveGroup
    from ...cluster.outcomes import Outcome
    from ...provider.resources.group.inputs import DeclaredGroup
    from ...topology.model.declared import ConsumerGroup, StreamsApplication, Topology
    from ...topology.model.findings import Finding
    from ..snapshot import Snapshot, Survey

GROUP_MISSING: Final = Check(
    "KTA301", "group-missing", Severity.ERROR,
    "A declared group is not on the cluster. Without a declared start, this is only advice.",
    "`pulumi up` commits the declared start. Without it, the consumers of the group start where their own "
    "`auto.offset.reset` says, and skip or repeat records. Offsets expire after a group has been empty for "
    "`offsets.retention.minutes`.",
    "Run `pulumi refresh` and `pulumi up` before the consumers start. A group without a declared start appears when "
    "its first member joins.",
    ("R20", "R21"),
)  # fmt: skip
GROUP_EMPTY: Final = Check(
    "KTA302", "group-without-members", Severity.ADVICE,
    "A group has no members. If records are waiting for it, this is a warning.",
    "Nothing reads for the group: its lag grows, and after `offsets.retention.minutes` Kafka deletes its offsets.",
    "Start its consumers, or remove the group from the topology.",
    ("R22",),
)  # fmt: skip
OFFSETS_MISSING: Final = Check(
    "KTA303", "offsets-missing", Severity.WARNING,
    "A group has no committed offset on partitions that hold records.",
    "Its lag there is unknown, and after a restart it starts where `auto.offset.reset` says. The usual reasons are "
    "partitions that were added later, and consumers that never commit.",
    "Check that the consumers commit. If the group is stopped, commit the offsets it should start from.",
    ("R20", "R22"),
)  # fmt: skip
LAG_ABOVE_MAX: Final = Check(
    "KTA304", "lag-above-maximum", Severity.ERROR,
    "A group is further behind than its `maxLag`.",
    "`maxLag` is the lag that the application can tolerate, and the group exceeds it.",
    "Check its consumers, add members (at most one per partition), or raise `maxLag`.",
    ("R22",),
)  # fmt: skip
MEMBERS_DIFFER: Final = Check(
    "KTA305", "members-differ", Severity.WARNING,
    "The number of members of a group differs from the declared one.",
    "Fewer members may not keep up with the load that you planned for. More members may be idle.",
    "Start or stop members, or declare the number of running members.",
    ("R5",),
)  # fmt: skip
MEMBERS_IDLE: Final = Check(
    "KTA306", "members-idle", Severity.WARNING,
    "A group has more members than partitions to read, so some members are idle.",
    "Kafka assigns each partition to one member of a group at a time.",
    "Stop the extra members, or add partitions if neither keys nor the order of records depend on their number.",
    ("R5",),
)  # fmt: skip
GROUP_CONFIG_DIFFERS: Final = Check(
    "KTA307", "group-config-differs", Severity.ERROR,
    "A setting of a group differs from the declared value, or is not set.",
    "With the `consumer` protocol, the brokers use these settings for heartbeats and sessions.",
    "Run `pulumi refresh` and `pulumi up` to set the declared value, or declare the value that you want.",
    ("R23",),
)  # fmt: skip
GROUP_UNDECLARED: Final = Check(
    "KTA308", "group-undeclared", Severity.WARNING,
    "A group on the cluster is inside the ownership, but not declared.",
    "Group names are global. An undeclared group may be left over from a test, or belong to an application that nobody "
    "knows about.",
    "Declare it, or delete it if nothing uses it.",
    ("R21",),
)  # fmt: skip


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

    applier = GroupApplier(survey.cluster.groups, lambda _: False)
    return survey.patient.each(asked, lambda names: applier.look({name: asked[name] for name in names}))


def _take_names(survey: Survey) -> Asked[frozenset[str]]:
    if survey.topology.ownership.groups is None:
        return None
    return survey.patient.one(survey.cluster.survey.group_names)


GROUPS: Final = Observation("groups", _take, of_each("groups"))
"""The declared groups and streams applications."""
GROUP_NAMES: Final = Observation("group_names", _take_names)
"""All groups that the principal can see."""


def group_findings(topology: Topology, live: Snapshot) -> Iterator[Finding]:
    for group in topology.consumer_groups.values():
        seen = live.of(GROUPS).get(group.name)
        if seen is not None and not isinstance(seen, Failure):
            yield from _group(group, seen)
    for application in topology.streams.values():
        seen = live.of(GROUPS).get(application.application_id)
        if seen is not None and not isinstance(seen, Failure):
            yield from _application(application, seen)
    yield from _undeclared(topology, live)


def _group(group: ConsumerGroup, live: LiveGroup) -> Iterator[Finding]:
    about = About("group", group.name, group.location)
    if not live.exists:
        yield _missing(about, is_started=group.start is not None)
        return
    yield from _reading(about, live)
    lag = live.lag
    if group.max_lag is not None and lag is not None and lag > group.max_lag:
        yield found(
            LAG_ABOVE_MAX,
            about,
            group.place("maxLag"),
            f"{group.name} is {lag:,} records behind; expected at most {group.max_lag:,}",
            "check its consumers, or raise `maxLag`",
            expected=group.max_lag,
            actual=lag,
        )
    yield from _members(group, about, live)
    for key, wanted in sorted(group.group_config.items()):
        actual = live.config.get(key)
        if not same("group", key, wanted, actual):
            yield found(
                GROUP_CONFIG_DIFFERS,
                about,
                group.place("groupConfig", key),
                f"{group.name}: {key} is {value_text(key, actual)} on the cluster; expected {value_text(key, wanted)}",
                "run pulumi refresh and pulumi up to set it, or declare what is there",
                expected=wanted,
                actual=actual,
                setting=key,
            )


def _application(application: StreamsApplication, live: LiveGroup) -> Iterator[Finding]:
    about = About("streams", application.application_id, application.location)
    if not live.exists:
        yield _missing(about, is_started=False)
    else:
        yield from _reading(about, live)


def _missing(about: About, *, is_started: bool) -> Finding:
    if is_started:
        message = f"{about.name} is not on the cluster, and its declared start is not committed; expected a group"
        fix = "run pulumi refresh and pulumi up before its consumers start"
    else:
        message = f"{about.name} is not on the cluster: no member has joined it yet"
        fix = "start its consumers, or declare a start that pulumi up commits"
    severity = None if is_started else Severity.ADVICE
    return found(GROUP_MISSING, about, about.declared, message, fix, expected="a group", severity=severity)


def _reading(about: About, live: LiveGroup) -> Iterator[Finding]:
    lag = live.lag
    if not live.shape.members:
        waiting = f", and {lag:,} records wait for it" if lag else ""
        state = "is empty" if live.shape.state != NOT_THERE else "is dead"
        yield found(
            GROUP_EMPTY,
            about,
            about.declared,
            f"{about.name} {state}: it has no members{waiting}; expected at least one",
            "start its consumers, or remove it from the topology",
            expected="at least 1",
            actual=0,
            severity=Severity.WARNING if lag else None,
            state=live.shape.state,
            lag=lag,
        )
    # A partition with log end 0 never had a record, so there is nothing to commit.
    silent = sorted(p for p in live.partitions - live.offsets.keys() if live.ends.get(p))
    if silent:
        yield found(
            OFFSETS_MISSING,
            about,
            about.declared,
            f"{about.name} has committed no offset on {len(silent):,} of {counted(len(live.partitions), 'partition')} "
            f"that it reads, and they hold records: {listed([f'{topic} {number}' for topic, number in silent])}",
            "check that its consumers commit, or commit the offsets it should start from",
            expected=len(live.partitions),
            actual=len(live.partitions) - len(silent),
        )


def _members(group: ConsumerGroup, about: About, live: LiveGroup) -> Iterator[Finding]:
    members, partitions = live.shape.members, len(live.partitions)
    if not members:
        return
    if group.members is not None and members != group.members:
        yield found(
            MEMBERS_DIFFER,
            about,
            group.place("members"),
            f"{group.name} has {counted(members, 'member')}; expected {group.members}",
            "start or stop members, or declare the number of running members",
            expected=group.members,
            actual=members,
        )
    if partitions and members > partitions:
        yield found(
            MEMBERS_IDLE,
            about,
            about.declared,
            f"{group.name} has {counted(members, 'member')} for {counted(partitions, 'partition')}, so "
            f"{members - partitions:,} stand idle; expected at most {partitions:,}",
            "stop the extra members",
            expected=partitions,
            actual=members,
        )


def _undeclared(topology: Topology, live: Snapshot) -> Iterator[Finding]:
    owned, names = topology.ownership.groups, live.of(GROUP_NAMES)
    if owned is None or names is None or isinstance(names, Failure):
        return
    for name in sorted(names - topology.consumer_groups.keys() - topology.streams.keys()):
        if name.startswith(owned):
            yield found(
                GROUP_UNDECLARED,
                About("group", name, topology.ownership.location),
                topology.ownership.place("groups"),
                f"{name} is on the cluster and inside the ownership ({listed(owned)}), and is not declared",
                "declare it, or delete it if nothing uses it",
                actual="a group",
            )


SUBJECT: Final = Subject(
    order=30,
    kinds=("ConsumerGroup",),
    words=("group", "streams"),
    compares={
        "groups": "missing, without members, without offsets, further behind than `maxLag`, more or fewer members than "
        "declared, idle ones; settings of the group; undeclared groups inside the ownership"
    },
    reads=(GROUPS, GROUP_NAMES),
    checks=(
        GROUP_MISSING,
        GROUP_EMPTY,
        OFFSETS_MISSING,
        LAG_ABOVE_MAX,
        MEMBERS_DIFFER,
        MEMBERS_IDLE,
        GROUP_CONFIG_DIFFERS,
        GROUP_UNDECLARED,
    ),
    compare=without_options(group_findings),
)
