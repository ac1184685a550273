"""Checks whether consumer groups and streams applications exist, read, and keep up."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kafka_topology.topology.kafka.equal import same
from kafka_topology.topology.model.words import agreeing, counted, listed

from ...cluster.live.groups import NOT_THERE
from ...cluster.outcomes import Failure
from ...topology.model.findings import Severity
from ..check import About, Check, found, value_text
from ..observing.group_log import GROUP_NAMES, GROUPS, LOGS, GroupLog
from ..subject import Subject, without_options

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ...cluster.live.groups import LiveGroup
    from ...topology.model.declared import ConsumerGroup, StreamsApplication, Topology
    from ...topology.model.findings import Finding
    from ..observing.snapshot import Snapshot

GROUP_MISSING: Final = Check(
    "KTA301", "group-missing", Severity.ERROR,
    "A declared group is not on the cluster. Without a declared start, this is a warning if records are waiting for "
    "it, and advice otherwise.",
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
    "Nothing reads for the group: its lag grows, and after `offsets.retention.minutes` Kafka deletes its offsets. "
    "Consumers that assign their partitions themselves, as those of Flink do, are no members by design. So a group is "
    "not reported if it declares `assign`, or if it declares no `members` and somebody else than `pulumi up` commits "
    "for it although nobody ever joined it: Kafka cannot tell whether a consumer or `kafka-consumer-groups "
    "--reset-offsets` did. Declare `members` for groups that must have some, and `maxLag` for all.",
    "Start its consumers, or remove the group from the topology.",
    ("R22",),
    transient=True,
)  # fmt: skip
MEMBERS_DIFFER: Final = Check(
    "KTA305", "members-differ", Severity.WARNING,
    "The number of members of a group differs from the declared one.",
    "Fewer members may not keep up with the load that you planned for. More members may be idle.",
    "Start or stop members, or declare the number of running members.",
    ("R5",),
    transient=True,
)  # fmt: skip
MEMBERS_IDLE: Final = Check(
    "KTA306", "members-idle", Severity.WARNING,
    "Members of a group have no partition, so they do nothing.",
    "Kafka assigns each partition to one member of a group at a time. A member that reads a topic with few partitions "
    "may be idle even if the group reads many.",
    "Stop the extra members, or add partitions if neither keys nor the order of records depend on their number.",
    ("R5",),
    transient=True,
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

OTHER_TYPE: Final = Check(
    "KTA321", "group-of-other-type", Severity.ERROR,
    "A declared consumer group or streams application is another type of group on the cluster: a share group, or a "
    "group of plain consumers where a streams application is declared.",
    "Group ids are one namespace: Kafka refuses consumers while a share group has the id, and instances of Kafka "
    "Streams while plain consumers are in the group.",
    "Rename the group, or delete the other group if nothing uses it.",
    ("R21",),
)  # fmt: skip
# Kafka Streams always uses its own, in groups of the classic protocol; those of the streams protocol have none.
_STREAMS_ASSIGNOR: Final = "stream"


def group_findings(topology: Topology, live: Snapshot) -> Iterator[Finding]:
    logs = live.of(LOGS)
    for group in topology.consumer_groups.values():
        seen = live.of(GROUPS).get(group.name)
        if seen is not None and not isinstance(seen, Failure):
            yield from _group(group, seen, logs.get(group.name, GroupLog()).lag)
    for application in topology.streams.values():
        seen = live.of(GROUPS).get(application.application_id)
        if seen is not None and not isinstance(seen, Failure):
            yield from _application(application, seen, logs.get(application.application_id, GroupLog()).lag)
    yield from _undeclared(topology, live)


def _group(group: ConsumerGroup, live: LiveGroup, lag: int | None) -> Iterator[Finding]:
    about = About("group", group.name, group.location)
    if live.shape.other_type is not None:
        yield _other_type(about, live.shape.other_type, "a consumer group", "consumer")
        return
    if not live.exists:
        yield _missing(about, lag, is_started=group.start is not None)
        return
    if not (group.assign or (group.members is None and _commits_alone(live))):
        yield from _empty(about, live, lag, group.members)
    yield from _members(group, about, live)
    for key, wanted in sorted(group.group_config.items()) if live.unread_config is None else ():
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


def _application(application: StreamsApplication, live: LiveGroup, lag: int | None) -> Iterator[Finding]:
    about = About("streams", application.application_id, application.location)
    if live.shape.other_type is not None:
        yield _other_type(about, live.shape.other_type, "a streams application", "streams")
    elif live.shape.members and live.shape.assignor not in ("", _STREAMS_ASSIGNOR):
        yield _other_type(about, "consumer", "a streams application", "streams")
    elif not live.exists:
        yield _missing(about, lag, is_started=False)
    else:
        yield from _empty(about, live, lag, application.members)
        yield from _threads(application, about, live)


def _other_type(about: About, actual: str, declared: str, expected: str) -> Finding:
    return found(
        OTHER_TYPE,
        about,
        about.declared,
        f"{about.name} is a {actual} group on the cluster; expected {declared}",
        f"rename {declared.removeprefix('a ')} {about.name}, or delete the other group if nothing uses it",
        expected=expected,
        actual=actual,
    )


def _threads(application: StreamsApplication, about: About, live: LiveGroup) -> Iterator[Finding]:
    """Each thread of each instance is a member of the group."""
    members, wanted = live.shape.members, application.members
    if members and wanted is not None and members != wanted:
        instances = counted(application.instances or 0, "instance")
        yield found(
            MEMBERS_DIFFER,
            about,
            application.place("instances"),
            f"{application.name} has {counted(members, 'thread')} in its group; expected {wanted}, of {instances}",
            "start or stop instances, or declare the number of running instances and their threads",
            expected=wanted,
            actual=members,
        )


def _missing(about: About, lag: int | None, *, is_started: bool) -> Finding:
    waiting = _waiting(lag)
    if is_started:
        start = "and its declared start is not committed" if not waiting else "its declared start is not committed"
        message = f"{about.name} is not on the cluster, {start}{waiting}; expected a group"
        fix = "run pulumi refresh and pulumi up before its consumers start"
    else:
        message = f"{about.name} is not on the cluster: no member has joined it yet{waiting}"
        fix = "start its consumers, or declare a start that pulumi up commits"
    severity = None if is_started else Severity.WARNING if waiting else Severity.ADVICE
    return found(GROUP_MISSING, about, about.declared, message, fix, expected="a group", severity=severity, lag=lag)


def _waiting(lag: int | None) -> str:
    return f", and {counted(lag, 'record')} {agreeing(lag, 'waits', 'wait')} for it" if lag else ""


def _empty(about: About, live: LiveGroup, lag: int | None, members: int | None) -> Iterator[Finding]:
    if live.shape.members:
        return
    waiting = _waiting(lag)
    state = "is empty" if live.shape.state != NOT_THERE else "is dead"
    yield found(
        GROUP_EMPTY,
        about,
        about.declared,
        f"{about.name} {state}: it has no members{waiting}; expected {members or 'at least one'}",
        "start its consumers, or remove it from the topology",
        expected=members or "at least 1",
        actual=0,
        severity=Severity.WARNING if lag else None,
        state=live.shape.state,
        lag=lag,
    )


def _commits_alone(live: LiveGroup) -> bool:
    """Whether somebody commits who never joins, as consumers of Flink do: they have no members by design.

    Offsets of ours do not count: a group that nobody has started has those, too. Kafka's own tool commits like such a
    consumer, so this says nothing about a group that declares members, nor about Kafka Streams, which always joins.
    """
    from ...provider.resources.group.plan import is_ours  # noqa: PLC0415

    return live.shape.is_simple and any(not is_ours(committed) for committed in live.offsets.values())


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
    if live.shape.idle:
        yield found(
            MEMBERS_IDLE,
            about,
            about.declared,
            f"{live.shape.idle:,} of the {counted(members, 'member')} of {group.name} "
            f"{agreeing(live.shape.idle, 'has', 'have')} no partition: the topics that it reads have "
            f"{counted(partitions, 'partition')}; expected a partition for each member",
            "stop the extra members",
            expected=members,
            actual=members - live.shape.idle,
        )


def declared_ids(topology: Topology) -> frozenset[str]:
    """The ids of all declared groups: one namespace, so an id that has another type on the cluster is declared."""
    applications = (each.application_id for each in topology.streams.values())
    return frozenset((*topology.consumer_groups, *topology.share_groups, *applications))


def _undeclared(topology: Topology, live: Snapshot) -> Iterator[Finding]:
    owned, names = topology.ownership.groups, live.of(GROUP_NAMES)
    if owned is None or names is None or isinstance(names, Failure):
        return
    for name in sorted(names - declared_ids(topology)):
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
        "groups": "missing, of another type, without members, more or fewer members than declared, idle ones; settings "
        "of the group; undeclared groups inside the ownership"
    },
    reads=(GROUPS, GROUP_NAMES, LOGS),
    checks=(
        GROUP_MISSING,
        GROUP_EMPTY,
        MEMBERS_DIFFER,
        MEMBERS_IDLE,
        GROUP_CONFIG_DIFFERS,
        GROUP_UNDECLARED,
        OTHER_TYPE,
    ),
    compare=without_options(group_findings),
)
