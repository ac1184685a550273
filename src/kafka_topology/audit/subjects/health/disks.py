"""Checks the disks of brokers: log directories that are offline, space that is left, and the declared size."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kafka_topology.topology.model.units import format_size
from kafka_topology.topology.model.words import agreeing, listed

from ....cluster.outcomes import Failure
from ....provider.resources.replicas.plan import in_words
from ....topology.model.findings import Severity
from ...check import Check, about_cluster, found
from ...observing.live_cluster import of_each_broker
from ...observing.snapshot import Observation, alike
from ...subject import Subject, number_option

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from ....cluster.live.disks import Disk
    from ....cluster.outcomes import Outcome
    from ....topology.model.declared import Cluster, Topology
    from ....topology.model.findings import Finding
    from ....topology.model.places import Location, Place
    from ...check import About
    from ...observing.snapshot import Snapshot, Survey
    from ...subject import Options

DIR_OFFLINE: Final = Check(
    "KTA531", "log-dir-offline", Severity.ERROR,
    "A log directory of a broker is offline.",
    "The broker could not read or write it, so it took all replicas in it offline: they are missing until somebody "
    "repairs the disk. The broker goes on with its other directories.",
    "Look for the first error of this directory in the log of the broker, repair or replace the disk, and restart "
    "the broker.",
    ("R30",),
)  # fmt: skip
NEARLY_FULL: Final = Check(
    "KTA532", "disk-nearly-full", Severity.WARNING,
    "Little space is left on a disk of a broker, or of the size that `cluster.disk` declares. Below `critical`, this "
    "is an error.",
    "A broker whose disk is full stops at once, or takes the directory offline, and does not start again before "
    "somebody makes space.",
    "Add disk space, move partitions to other brokers, or lower the retention of the largest topics.",
    ("R27",),
    (
        ("free", 10.0, "how many percent must be free"),
        ("critical", 3.0, "below how many percent it is an error"),
    ),
)  # fmt: skip
SMALLER: Final = Check(
    "KTA533", "disk-smaller-than-declared", Severity.WARNING,
    "The disks of a broker are smaller than `cluster.disk` declares.",
    "Rules and what-if count on the declared space, so they approve a retention for which there is no room.",
    "Declare the size that the disks have.",
    ("R27",),
)  # fmt: skip
_TOO_OLD: Final = "brokers before Kafka 3.3 do not say how full their disks are: the space that is left is unknown"


def _declares_disks(topology: Topology) -> bool:
    cluster = topology.cluster
    return cluster.disk is not None or any(broker.disk is not None for broker in cluster.brokers or ())


def _take(survey: Survey) -> Mapping[int, Outcome[Disk]]:
    with_sizes = _declares_disks(survey.topology)
    return of_each_broker(survey, lambda brokers: survey.cluster.health.disks(brokers, with_sizes=with_sizes))


def _unread(topology: Topology, disks: Mapping[int, Outcome[Disk]]) -> Iterator[str]:
    del topology
    yield from alike("brokers", disks, "the log directories of")
    known = [folder for disk in disks.values() if not isinstance(disk, Failure) for folder in disk.folders]
    if any(folder.total is None and not folder.is_offline for folder in known):
        yield _TOO_OLD


DISKS: Final = Observation("disks", _take, _unread)
"""The log directories of each broker that is up."""


def disk_findings(topology: Topology, live: Snapshot, options: Options) -> Iterator[Finding]:
    about = about_cluster(topology)
    free, critical = (number_option(options, NEARLY_FULL, name) for name in ("free", "critical"))
    for broker, disk in sorted(live.of(DISKS).items()):
        if isinstance(disk, Failure):
            continue
        if disk.offline:
            yield _offline(about, broker, disk)
        for who, usable, total, shown, at in _spaces(topology.cluster, broker, disk):
            percent = 100 * usable / total if total else 0.0
            if percent < free:
                yield found(
                    NEARLY_FULL,
                    about,
                    at,
                    f"broker {broker}: {in_words(max(usable, 0))} of {shown} are free {who} "
                    f"({percent:.1f}%); expected at least {free:g}%",
                    "add disk space, move partitions to other brokers, or lower the retention of the largest topics",
                    severity=Severity.ERROR if percent < critical else None,
                    expected=free,
                    actual=round(percent, 2),
                    broker=broker,
                    usable=usable,
                    total=total,
                )
        yield from _smaller(topology.cluster, about, broker, disk)


def _offline(about: About, broker: int, disk: Disk) -> Finding:
    several = len(disk.offline)
    return found(
        DIR_OFFLINE,
        about,
        about.declared,
        f"broker {broker}: {agreeing(several, 'log directory', 'log directories')} {listed(disk.offline)} "
        f"{agreeing(several, 'is', 'are')} offline, and the replicas in it are missing; expected all of "
        f"{len(disk.folders)} online",
        f"look into the log of broker {broker}, repair the disk, and restart the broker",
        expected=len(disk.folders),
        actual=len(disk.folders) - several,
        broker=broker,
        offline=list(disk.offline),
    )


def _spaces(cluster: Cluster, broker: int, disk: Disk) -> Iterator[tuple[str, int, int, str, Place | Location]]:
    """Where space is limited: each volume, and what is declared if logs use a part of a larger volume."""
    for folder in disk.folders:
        if folder.total is not None and folder.usable is not None:
            yield f"for {folder.path}", folder.usable, folder.total, in_words(folder.total), cluster.location
    declared = _declared(cluster, broker)
    if declared is not None and disk.used is not None:
        yield "of the declared disk", declared - disk.used, declared, format_size(declared), _place(cluster)


def _smaller(cluster: Cluster, about: About, broker: int, disk: Disk) -> Iterator[Finding]:
    declared = _declared(cluster, broker)
    if declared is None or disk.total is None or disk.total >= declared:
        return
    yield found(
        SMALLER,
        about,
        _place(cluster),
        f"the disks of broker {broker} hold at most {in_words(disk.total)}; expected {format_size(declared)}",
        "declare the size that it has, or use a larger disk",
        expected=declared,
        actual=disk.total,
        broker=broker,
    )


def _declared(cluster: Cluster, broker: int) -> int | None:
    if not cluster.lists_brokers:
        return cluster.disk
    return next((each.disk for each in cluster.brokers or () if each.id == broker), None)


def _place(cluster: Cluster) -> Place:
    return cluster.place("brokers" if cluster.lists_brokers else "disk")


SUBJECT: Final = Subject(
    order=73,
    words=("cluster",),
    compares={
        "disks": "log directories that are offline; space that is left on their volumes, and of `cluster.disk`; disks "
        "that are smaller than declared"
    },
    reads=(DISKS,),
    checks=(DIR_OFFLINE, NEARLY_FULL, SMALLER),
    compare=disk_findings,
    is_health=True,
)
