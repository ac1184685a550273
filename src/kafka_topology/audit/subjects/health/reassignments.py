"""Checks reassignments: under way, waiting for a broker that is down, and throttles that were left behind."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kafka_topology.topology.model.units import format_rate
from kafka_topology.topology.model.words import agreeing, counted, listed

from ....cluster.live.replicas import RATES
from ....cluster.outcomes import Failure
from ....topology.model.findings import Severity
from ...check import About, Check, about_cluster, found
from ...observing.live_cluster import BROKER_CONFIGS, BROKERS, REASSIGNMENTS
from ...observing.live_kafka_topics import OWN_TOPICS
from ...observing.live_topics import TOPICS
from ...subject import Subject, without_options
from ..topics import about as about_topic

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from ....cluster.live.groups import Partition
    from ....cluster.topics.reassignments import Reassignment
    from ....topology.model.declared import Topology
    from ....topology.model.findings import Finding
    from ...observing.snapshot import Snapshot

UNDER_WAY: Final = Check(
    "KTA521", "reassignment-under-way", Severity.ADVICE,
    "Partitions are being moved to other brokers.",
    "Copying replicas takes network and disk of the brokers. Until it ends, partitions have more replicas than "
    "declared, which is not reported as drift.",
    "Wait. `kafka-reassign-partitions --list` shows what is left, and `--cancel` stops it. If it leads to another "
    "replication than the declared one, cancel it or declare that.",
    ("R31",),
    transient=True,
)  # fmt: skip
STUCK: Final = Check(
    "KTA522", "reassignment-stuck", Severity.WARNING,
    "A reassignment waits for a broker that is down.",
    "It ends only when the new replicas are in sync. Until then, the old replicas keep their disk space, and "
    "`pulumi up` does not start another reassignment of these partitions.",
    "Start the broker, or cancel the reassignment with `kafka-reassign-partitions --cancel`.",
    ("R31",),
    transient=True,
)  # fmt: skip
THROTTLE_LEFT: Final = Check(
    "KTA523", "throttle-left", Severity.WARNING,
    "Replication is throttled, although nothing is being reassigned.",
    "`kafka-reassign-partitions` sets throttles, and removes them only if somebody runs it again with `--verify`. A "
    "throttle that was left behind slows down the recovery of a broker after a restart: its replicas stay out of "
    "sync for longer, or never catch up with busy partitions.",
    "Remove `leader.replication.throttled.rate` and `follower.replication.throttled.rate` from the brokers, and "
    "`leader.replication.throttled.replicas` and `follower.replication.throttled.replicas` from the topics.",
    ("R31",),
    transient=True,
)  # fmt: skip


def reassignment_findings(topology: Topology, live: Snapshot) -> Iterator[Finding]:
    moving = live.of(REASSIGNMENTS)
    if isinstance(moving, Failure):
        return  # without it, a throttle may have its reason
    about = about_cluster(topology)
    brokers = live.of(BROKERS)
    up = None if isinstance(brokers, Failure) else brokers.keys()
    stuck = {p: each for p, each in moving.items() if up is not None and each.adding - up}
    going = {p: each for p, each in moving.items() if p not in stuck}
    if stuck:
        elsewhere = _elsewhere(topology, live, stuck)
        down = sorted({broker for each in stuck.values() for broker in each.adding} - set(up or ()))
        yield found(
            STUCK,
            about,
            about.declared,
            f"the reassignment of {_which(stuck)} waits for {agreeing(len(down), 'broker', 'brokers')} {listed(down)}, "
            f"which {agreeing(len(down), 'is', 'are')} down{f'; it leads {elsewhere}' if elsewhere else ''}",
            f"start {agreeing(len(down), 'broker', 'brokers')} {listed(down)}, or cancel it with "
            "kafka-reassign-partitions --cancel",
            expected="no reassignment",
            actual=_evidence(stuck),
            down=down,
        )
    if going:
        elsewhere = _elsewhere(topology, live, going)
        yield found(
            UNDER_WAY,
            about,
            about.declared,
            f"{_which(going)} {agreeing(len(going), 'is', 'are')} being reassigned"
            f"{f', {elsewhere}' if elsewhere else ''}",
            "cancel it with kafka-reassign-partitions --cancel, or declare the replication that it leads to"
            if elsewhere
            else "wait until it ends: kafka-reassign-partitions --list shows what is left",
            expected="no reassignment",
            actual=_evidence(going),
        )
    if not moving:
        yield from _on_brokers(about, live)
        yield from _on_topics(topology, live)


def _elsewhere(topology: Topology, live: Snapshot, moving: Mapping[Partition, Reassignment]) -> str:
    """The topics that the moves bring to another replication than the declared one."""
    targets: dict[str, set[int]] = {}
    for (name, number), move in sorted(moving.items()):
        topic = live.of(TOPICS).get(name)
        if topic is None or isinstance(topic, Failure) or number >= len(topic.placement):
            continue
        after = len((set(topic.placement[number].replicas) | move.adding) - move.removing)
        if after != topology.topics[name].replication:
            targets.setdefault(name, set()).add(after)
    shown = [
        f"{name} to {'1 replica' if max(numbers) == 1 else f'{listed(sorted(numbers))} replicas'} "
        f"(declared {topology.topics[name].replication})"
        for name, numbers in targets.items()
    ]
    return listed(shown, 3)


def _which(moving: Mapping[Partition, Reassignment]) -> str:
    """`2 partitions (shop.orders 0 to 3 from 1, …)`."""
    shown = [f"{topic} {number}{_way(each)}" for (topic, number), each in sorted(moving.items())]
    return f"{counted(len(moving), 'partition')} ({listed(shown, 3)})"


def _way(each: Reassignment) -> str:
    to = f" to {agreeing(len(each.adding), 'broker', 'brokers')} {listed(sorted(each.adding))}" if each.adding else ""
    away = f" away from {listed(sorted(each.removing))}" if each.removing else ""
    return f"{to}{away}"


def _evidence(moving: Mapping[Partition, Reassignment]) -> list[dict[str, object]]:
    return [
        {"topic": topic, "partition": number, "adding": sorted(each.adding), "removing": sorted(each.removing)}
        for (topic, number), each in sorted(moving.items())
    ]


def _on_brokers(about: About, live: Snapshot) -> Iterator[Finding]:
    """Reports brokers with the same rates together."""
    throttled: dict[tuple[tuple[str, str], ...], list[int]] = {}
    for broker, config in sorted(live.of(BROKER_CONFIGS).items()):
        if not isinstance(config, Failure) and (set_here := [(key, config[key]) for key in RATES if config.get(key)]):
            throttled.setdefault(tuple(set_here), []).append(broker)
    for rates, brokers in throttled.items():
        shown = [f"{key} {format_rate(int(rate)) if rate.isdigit() else rate}" for key, rate in rates]
        who = agreeing(len(brokers), "broker", "brokers")
        yield found(
            THROTTLE_LEFT,
            about,
            about.declared,
            f"{who} {listed(brokers)} {agreeing(len(brokers), 'has', 'have')} {' and '.join(shown)}, and nothing is "
            "being reassigned; expected no throttle",
            "if nobody needs it, run kafka-configs --alter --entity-type brokers --delete-config "
            f"{','.join(key for key, _ in rates)} with --entity-name BROKER for each broker, or with --entity-default "
            "if it was set for all",
            actual=dict(rates),
            brokers=brokers,
        )


def _on_topics(topology: Topology, live: Snapshot) -> Iterator[Finding]:
    own, declared = live.of(OWN_TOPICS), live.of(TOPICS)
    abouts = {name: About("topic", name, topology.cluster.location) for name in own}
    abouts |= {name: about_topic(topology.topics[name]) for name in declared}
    for name, topic in (*own.items(), *declared.items()):
        if isinstance(topic, Failure) or not topic.throttled or topic.is_moving:
            continue
        about = abouts[name]
        yield found(
            THROTTLE_LEFT,
            about,
            about.declared,
            f"{name} has throttled replicas, and nothing is being reassigned; expected none",
            f"if nobody needs them, run kafka-configs --alter --entity-type topics --entity-name {name} "
            f"--delete-config {','.join(topic.throttled)}",
            actual=list(topic.throttled),
        )


SUBJECT: Final = Subject(
    order=72,
    words=("cluster", "topic"),
    compares={
        "reassignments": "under way; waiting for a broker that is down; throttles on brokers and topics that were "
        "left behind"
    },
    reads=(REASSIGNMENTS, BROKERS, BROKER_CONFIGS, TOPICS, OWN_TOPICS),
    checks=(UNDER_WAY, STUCK, THROTTLE_LEFT),
    compare=without_options(reassignment_findings),
    is_health=True,
)
