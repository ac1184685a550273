"""Checks where partitions are: in-sync replicas, leaders and racks."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Final

from kafka_topology.topology.model.words import counted, listed

from ...cluster.outcomes import Failure
from ...topology.model.findings import Severity
from ..check import Check, about_cluster, found
from ..observing.live_cluster import BROKERS
from ..observing.live_topics import TOPICS
from ..subject import Subject, number_option
from .topics import about

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from ...cluster.live.topics import LiveTopic, Placed
    from ...topology.model.declared import Topic, Topology
    from ...topology.model.findings import Finding
    from ...topology.model.places import Location, Place
    from ..check import About
    from ..observing.snapshot import Snapshot
    from ..subject import Options

_FEWEST_A_BROKER: Final = 10  # partitions; with fewer, a skew may be chance
PARTITION_OFFLINE: Final = Check(
    "KTA201", "partition-offline", Severity.ERROR,
    "A partition has no leader, so clients can neither read nor write it.",
    "All its in-sync replicas are on brokers that are down.",
    "Start the brokers that hold its replicas. An unclean election loses the records that only they have.",
    ("R30",),
    transient=True,
)  # fmt: skip
BELOW_MIN_ISR: Final = Check(
    "KTA202", "below-min-isr", Severity.ERROR,
    "Fewer replicas are in sync than `min.insync.replicas`, so producers with `acks=all` fail.",
    "Kafka refuses their writes with NotEnoughReplicas until more replicas have caught up.",
    "Start the missing brokers, or find out why their replicas do not keep up.",
    ("R1",),
    transient=True,
)  # fmt: skip
AT_MIN_ISR: Final = Check(
    "KTA203", "at-min-isr", Severity.WARNING,
    "Replicas are missing, and exactly `min.insync.replicas` are in sync: losing one more broker stops producers.",
    "There is no reserve left: a restart that is usually harmless becomes an outage.",
    "Bring the missing replicas back before you restart any broker.",
    ("R1",),
    transient=True,
)  # fmt: skip
UNDER_REPLICATED: Final = Check(
    "KTA204", "under-replicated", Severity.WARNING,
    "Some replicas of a partition are not in sync.",
    "The data is on fewer brokers than declared.",
    "Check whether the brokers that lag behind are down, slow, or short of disk.",
    ("R30",),
    transient=True,
)  # fmt: skip
MIN_ISR_ABOVE: Final = Check(
    "KTA208", "min-isr-above-replicas", Severity.WARNING,
    "`min.insync.replicas` is above the number of replicas, so it does not mean what it says.",
    "Kafka counts with the smaller of both: writers go on while all replicas are in sync, and one lost broker stops "
    "them. Versions before 3.7 refuse every write with `acks=all`.",
    "Lower `min.insync.replicas` below the number of replicas, or add replicas.",
    ("R1",),
)  # fmt: skip
RACK_SHARED: Final = Check(
    "KTA205", "replicas-share-a-rack", Severity.WARNING,
    "Replicas of a partition are in fewer racks than they could be.",
    "If a rack fails, the partition loses more replicas than necessary, perhaps all of them.",
    "Reassign the partitions. Kafka spreads new topics over racks if all brokers have one.",
    ("R30",),
)  # fmt: skip
NOT_PREFERRED: Final = Check(
    "KTA206", "leader-not-preferred", Severity.ADVICE,
    "Partitions are led by a broker that is not their preferred leader.",
    "After a broker comes back, other brokers lead its partitions until the next election. Kafka elects preferred "
    "leaders every few minutes, unless `auto.leader.rebalance.enable` is off.",
    "Wait, or run `kafka-leader-election --election-type preferred --all-topic-partitions`.",
    ("R13", "R30"),
    transient=True,
)  # fmt: skip
LEADERS_SKEWED: Final = Check(
    "KTA207", "leaders-skewed", Severity.WARNING,
    "One broker leads far more partitions of this topology than its share.",
    "Leaders do most of the work, so this broker becomes the bottleneck, and losing it moves the most leaders. This "
    "check needs at least ten partitions per broker.",
    "Elect preferred leaders. If those are skewed too, reassign partitions.",
    ("R13",),
    (("ratio", 1.5, "how many times its share a broker may lead"),),
    transient=True,
)  # fmt: skip


def replica_findings(topology: Topology, live: Snapshot, options: Options) -> Iterator[Finding]:
    known = live.of(BROKERS)
    brokers = {} if isinstance(known, Failure) else known
    seen = {
        topic.name: (topic, found_topic)
        for topic in topology.topics.values()
        if (found_topic := live.of(TOPICS).get(topic.name)) is not None and not isinstance(found_topic, Failure)
    }
    for topic, live_topic in seen.values():
        yield from _in_sync(topic, live_topic)
        yield from _above(topic, live_topic)
        yield from _racks(topic, live_topic, brokers)
    placed = [(name, number, p) for name, (_, t) in seen.items() for number, p in enumerate(t.placement)]
    cluster = about_cluster(topology)
    # While a topic is reassigned, its partitions prefer leaders that may not have the records yet.
    settled = [each for each in placed if not seen[each[0]][1].is_moving]
    yield from _not_preferred(settled, brokers, cluster)
    yield from _skewed(placed, brokers, cluster, number_option(options, LEADERS_SKEWED, "ratio"))


def _in_sync(topic: Topic, live: LiveTopic) -> Iterator[Finding]:
    """Each partition is reported once, with its worst state."""
    states: dict[str, list[int]] = {}
    for number, placed in enumerate(live.placement):
        if state := state_of(placed, live.min_in_sync):
            states.setdefault(state.id, []).append(number)
    for check in (PARTITION_OFFLINE, BELOW_MIN_ISR, AT_MIN_ISR, UNDER_REPLICATED):
        partitions = states.get(check.id)
        if not partitions:
            continue
        worst = min((live.placement[number] for number in partitions), key=lambda placed: len(placed.in_sync))
        fewest, all_of_it = len(worst.in_sync), len(worst.replicas)
        away = sorted({b for n in partitions for b in set(live.placement[n].replicas) - set(live.placement[n].in_sync)})
        which = f"{counted(len(partitions), 'partition')} ({listed(partitions)})"
        if check is PARTITION_OFFLINE:
            verb = "has" if len(partitions) == 1 else "have"
            message = f"{topic.name}: {which} {verb} no leader; expected one"
        else:
            least = min(live.min_in_sync or 1, all_of_it)
            wanted = {BELOW_MIN_ISR.id: f"at least {least}", AT_MIN_ISR.id: f"more than {least}"}
            message = (
                f"{topic.name}: {which} with {fewest} of {all_of_it} replicas in sync; "
                f"expected {wanted.get(check.id, all_of_it)}"
            )
        yield found(
            check,
            about(topic),
            _min_isr_place(topic),
            message,
            f"look at broker {listed(away)}" if len(away) == 1 else f"look at brokers {listed(away)}",
            expected=all_of_it,
            actual=fewest,
            partitions=partitions,
            outOfSync=away,
            minInSync=live.min_in_sync,
        )


def _min_isr_place(topic: Topic) -> Place | Location:
    return topic.place("config", "min.insync.replicas") if "min.insync.replicas" in topic.config else topic.location


def _above(topic: Topic, live: LiveTopic) -> Iterator[Finding]:
    if live.min_in_sync is not None and live.min_in_sync > live.replication:
        few = [number for number, placed in enumerate(live.placement) if len(placed.replicas) < live.min_in_sync]
        replicas, where = counted(live.replication, "replica"), ""
        if 0 < len(few) < len(live.placement):  # uneven: Kafka counts for each partition
            where = f" on {counted(len(few), 'partition')} ({listed(few)})"
        yield found(
            MIN_ISR_ABOVE,
            about(topic),
            _min_isr_place(topic),
            f"{topic.name}: min.insync.replicas is {live.min_in_sync} with {replicas}{where}, and "
            f"Kafka counts with {live.replication}{' there' if where else ''}; expected at most {live.replication}",
            "lower min.insync.replicas below the number of replicas, or add replicas",
            expected=live.replication,
            actual=live.min_in_sync,
        )


def state_of(placed: Placed, min_in_sync: int | None) -> Check | None:
    if placed.leader is None:
        return PARTITION_OFFLINE
    # Kafka asks for no more replicas than there are.
    in_sync, least = len(placed.in_sync), min(min_in_sync or 1, len(placed.replicas))
    if in_sync < least:
        return BELOW_MIN_ISR
    if in_sync == len(placed.replicas):
        return None
    return AT_MIN_ISR if in_sync == least else UNDER_REPLICATED


def _racks(topic: Topic, live: LiveTopic, brokers: Mapping[int, str | None]) -> Iterator[Finding]:
    racks = {rack for rack in brokers.values() if rack is not None}
    if len(racks) < 2 or None in brokers.values():
        return
    close = []
    for number, placed in enumerate(live.placement):
        known = [brokers[broker] for broker in placed.replicas if broker in brokers]
        # The rack of a broker that is down is unknown.
        if len(known) == len(placed.replicas) and len(set(known)) < min(len(known), len(racks)):
            close.append(number)
    if close:
        fewest = min(len({brokers[broker] for broker in live.placement[n].replicas}) for n in close)
        wanted = min(live.replication, len(racks))
        verb = "has its" if len(close) == 1 else "have their"
        yield found(
            RACK_SHARED,
            about(topic),
            topic.place("replication"),
            f"{topic.name}: {counted(len(close), 'partition')} ({listed(close)}) {verb} replicas in "
            f"{counted(fewest, 'rack')}; expected {wanted}",
            "reassign these partitions over the racks",
            expected=wanted,
            actual=fewest,
            partitions=close,
        )


def _not_preferred(
    placed: list[tuple[str, int, Placed]], brokers: Mapping[int, str | None], cluster: About
) -> Iterator[Finding]:
    """Reports by broker, not by topic: after a restart, thousands of partitions are affected at once."""
    away: dict[int, list[str]] = {}
    preferred: Counter[int] = Counter()
    for name, number, each in placed:
        if each.leader is None or not each.replicas:
            continue
        first = each.replicas[0]
        preferred[first] += 1
        if each.leader != first:
            away.setdefault(first, []).append(f"{name} {number}")
    for broker, partitions in sorted(away.items()):
        state = "" if broker in brokers else ", which is down,"
        led = preferred[broker] - len(partitions)
        yield found(
            NOT_PREFERRED,
            cluster,
            cluster.declared,
            f"broker {broker}{state} leads {led:,} of the {preferred[broker]:,} partitions that prefer it; led "
            f"elsewhere: {listed(partitions)}",
            "wait for the brokers to elect leaders again, or run kafka-leader-election --election-type preferred "
            "--all-topic-partitions"
            if broker in brokers
            else f"start broker {broker}",
            expected=preferred[broker],
            actual=led,
            broker=broker,
        )


def _skewed(
    placed: list[tuple[str, int, Placed]], brokers: Mapping[int, str | None], cluster: About, ratio: float
) -> Iterator[Finding]:
    leaders = Counter(each.leader for _, _, each in placed if each.leader is not None)
    total, count = sum(leaders.values()), len(brokers)
    if count < 2 or total < _FEWEST_A_BROKER * count:
        return
    share = total / count
    for broker, led in sorted(leaders.items()):
        if led > ratio * share:
            yield found(
                LEADERS_SKEWED,
                cluster,
                cluster.declared,
                f"broker {broker} leads {led:,} of {total:,} partitions; expected about {share:,.0f} on each "
                f"of {count} brokers",
                "elect preferred leaders, or reassign partitions",
                expected=round(share),
                actual=led,
                broker=broker,
            )


SUBJECT: Final = Subject(
    order=20,
    words=("topic", "cluster"),
    compares={
        "replicas": "partitions without a leader, below or at `min.insync.replicas`, not all in sync; a "
        "`min.insync.replicas` above the replicas; replicas that share a rack",
        "leaders": "a leader that is not the preferred one; a broker that leads far more than its share",
    },
    reads=(TOPICS, BROKERS),
    checks=(
        MIN_ISR_ABOVE,
        PARTITION_OFFLINE,
        BELOW_MIN_ISR,
        AT_MIN_ISR,
        UNDER_REPLICATED,
        RACK_SHARED,
        NOT_PREFERRED,
        LEADERS_SKEWED,
    ),
    compare=replica_findings,
)
