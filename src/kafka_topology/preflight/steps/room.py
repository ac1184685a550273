"""Is there room for it: free disk, and partitions on each broker?"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Final

from ...audit.check import Check, about_cluster, found
from ...audit.observing.live_cluster import BROKERS
from ...audit.subject import number_option
from ...audit.subjects.health.disks import DISKS
from ...cluster.outcomes import Failure
from ...topology.kafka.effective import EffectiveSettings
from ...topology.model.findings import Finding, Severity
from ...topology.model.words import counted, listed
from ...validators.facts.indexes import Index
from ...validators.facts.storage import Storage, disk_bytes, rounded
from ..step import Looked, Step

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from ...cluster.live.disks import Disk
    from ...cluster.live.groups import Partition
    from ...topology.model.declared import Topic, Topology
    from ..facts import Facts
    from ..requests import Request

NO_ROOM: Final = Check(
    "KTP401", "disk-too-small-for-the-change", Severity.ERROR,
    "What the deployment adds does not fit on the free disk of a broker.",
    "A broker whose disk is full stops. The need is what new and grown topics keep by their declared `throughput` and "
    "retention, in all replicas, less what they hold already, spread evenly over the brokers.",
    "Add disk, shorten the retention, or use fewer replicas.",
    ("R27",),
    (("reserve", 10.0, "how many percent of each disk must stay free"),),
)  # fmt: skip
TOO_MANY: Final = Check(
    "KTP402", "too-many-partitions-for-the-change", Severity.ERROR,
    "With the deployment, a broker holds more partition replicas than the limit, counting those of all teams.",
    "Each replica costs open files, memory and time at every failover. KT211 counts the declared topics only; here the "
    "topics of the whole cluster count.",
    "Use fewer partitions, or add brokers. `cluster.limits.partitionsPerBroker` declares what the cluster can handle.",
    ("R4",),
    (("limit", 4000, "replicas on each broker, if the cluster declares no limit"),),
)  # fmt: skip
UNKNOWN_SIZE: Final = Check(
    "KTP403", "size-of-new-topics-unknown", Severity.ADVICE,
    "New topics declare neither `throughput` nor `retention.bytes`, so nobody knows how much disk they need.",
    "They may fill the disks, and a preflight cannot say so.",
    "Declare `throughput`, or limit them with `retention.bytes`.",
    ("R27",),
)  # fmt: skip


@dataclass(frozen=True)
class _Judged:
    topology: Topology

    @cached_property
    def index(self) -> Index:
        return Index(self.topology, EffectiveSettings(self.topology))


@dataclass(frozen=True, slots=True)
class Need:
    """Bytes and replicas that the deployment adds to the whole cluster, and new topics of unknown size."""

    disk: int = 0
    replicas: int = 0
    unknown: tuple[str, ...] = ()


def look(facts: Facts) -> Looked:
    changed = {each.name: each for each in facts.changes("Topic") if each.action in ("create", "update", "unclear")}
    there = {name: live for name in changed if (live := facts.live_topic(name)) is not None}
    sizes = facts.asked.replicas.sizes({name: range(live.partitions) for name, live in there.items()}) if there else {}
    unread = [sizes.message] if isinstance(sizes, Failure) else []
    need = _need(facts, changed, {} if isinstance(sizes, Failure) else sizes)
    brokers = facts.snapshot.of(BROKERS)
    if isinstance(brokers, Failure):
        return Looked("the brokers are unknown", unread=(brokers.message,))
    findings = [*_disks(facts, need, len(brokers), unread), *_partitions(facts, need, tuple(brokers), unread)]
    if need.unknown:
        findings.append(_unknown(facts, need.unknown))
    said = f"needs {rounded(need.disk)} more disk and {counted(need.replicas, 'more replica')}"
    if not need.disk and not need.replicas:
        said = "needs no more disk and no more replicas"
    return Looked(said, tuple(findings), tuple(unread))


def _need(facts: Facts, changed: Mapping[str, Request], sizes: Mapping[Partition, int]) -> Need:
    storage = Storage(_Judged(facts.topology))
    disk, replicas, unknown = 0.0, 0, []
    for name in changed:
        topic, live = facts.topology.topics[name], facts.live_topic(name)
        held = 0
        if live is not None:
            one = sum(sizes.get((name, number), 0) for number in range(live.partitions))
            held = one * live.replication
            replicas -= live.partitions * live.replication
        replicas += topic.partitions * topic.replication
        kept = disk_bytes(topic, storage)
        if kept is not None:
            disk += max(0.0, kept * topic.replication - held)
        elif live is not None:
            disk += max(0.0, held / live.replication * topic.replication - held)
        else:
            unknown.append(name)
    return Need(int(disk), max(0, replicas), tuple(sorted(unknown)))


def _disks(facts: Facts, need: Need, brokers: int, unread: list[str]) -> Iterator[Finding]:
    if not need.disk:
        return
    reserve = number_option(facts.options, NO_ROOM, "reserve")
    each = need.disk / max(1, brokers)
    about = about_cluster(facts.topology)
    for broker, disk in sorted(facts.snapshot.of(DISKS).items()):
        free = None if isinstance(disk, Failure) else free_of(disk, reserve)
        if free is None:
            why = disk.message if isinstance(disk, Failure) else "it does not say how full its disks are"
            unread.append(f"the free disk of broker {broker}: {why}")
        elif each > free:
            yield found(
                NO_ROOM,
                about,
                about.declared,
                f"broker {broker} has {rounded(max(0, int(free)))} free beyond a reserve of {reserve:g}%; this "
                f"deployment needs about {rounded(int(each))} there",
                "add disk, shorten the retention, or use fewer replicas",
                expected=int(each),
                actual=int(free),
                broker=broker,
            )


def free_of(disk: Disk, reserve: float) -> float | None:
    """Folders of the same size and fill are taken for one volume, which counts once."""
    volumes = {(folder.total, folder.usable) for folder in disk.folders if not folder.is_offline}
    if not volumes or any(total is None or usable is None for total, usable in volumes):
        return None
    return sum((usable or 0) - (total or 0) * reserve / 100 for total, usable in volumes)


def _partitions(facts: Facts, need: Need, brokers: tuple[int, ...], unread: list[str]) -> Iterator[Finding]:
    if not need.replicas:
        return
    held = facts.asked.survey.replicas_by_broker()
    if isinstance(held, Failure):
        unread.append(held.message)
        return
    declared = facts.topology.cluster.limits.partitions_per_broker
    limit = declared if declared is not None else int(number_option(facts.options, TOO_MANY, "limit"))
    more = -(-need.replicas // max(1, len(brokers)))
    about = about_cluster(facts.topology)
    for broker in brokers:
        now = held.get(broker, 0)
        if now + more > limit:
            yield found(
                TOO_MANY,
                about,
                about.declared,
                f"broker {broker} holds {now:,} partition replicas, and about {more:,} would be added; expected at "
                f"most {limit:,}",
                "use fewer partitions, or add brokers",
                expected=limit,
                actual=now + more,
                broker=broker,
            )


def _unknown(facts: Facts, names: tuple[str, ...]) -> Finding:
    about = about_cluster(facts.topology)
    first: Topic = facts.topology.topics[names[0]]
    return found(
        UNKNOWN_SIZE,
        about,
        first.location,
        f"the size of {counted(len(names), 'new topic')} is unknown ({listed(names)}): "
        f"{'it declares' if len(names) == 1 else 'they declare'} neither throughput nor retention.bytes",
        "declare throughput, or limit them with retention.bytes",
        actual=list(names),
    )


STEP = Step(
    name="room",
    order=60,
    asks="Does what the change adds fit: free disk on each broker, and partitions counting those of all teams?",
    look=look,
    checks=(NO_ROOM, TOO_MANY, UNKNOWN_SIZE),
    uses=frozenset({"KTA531"}),
)
