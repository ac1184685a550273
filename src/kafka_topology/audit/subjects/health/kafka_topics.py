"""Checks the topics where Kafka keeps its own state: their leaders, in-sync replicas and number of replicas."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kafka_topology.topology.kafka.names import KAFKA_TOPICS
from kafka_topology.topology.model.words import agreeing, counted, listed

from ....cluster.outcomes import Failure
from ....topology.model.findings import Severity
from ...check import About, Check, about_cluster, found
from ...observing.live_cluster import BROKERS
from ...observing.live_kafka_topics import OWN_TOPICS
from ...subject import Subject, without_options
from ..replicas import BELOW_MIN_ISR, PARTITION_OFFLINE, state_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ....cluster.live.topics import LiveTopic
    from ....topology.model.declared import Topology
    from ....topology.model.findings import Finding
    from ...observing.snapshot import Snapshot

OFFLINE: Final = Check(
    "KTA211", "kafka-topic-offline", Severity.ERROR,
    "A partition of a topic where Kafka keeps its own state has no leader.",
    "Kafka needs these topics for everything that is not a plain read or write. Without a partition of "
    "`__consumer_offsets`, the groups in it can neither join nor commit; without one of `__transaction_state`, "
    "transactions neither begin nor end; `__share_group_state` stops share groups, and `__remote_log_metadata` "
    "tiered storage.",
    "Start the brokers that hold its replicas. An unclean election loses the state that only they have.",
    ("R30", "R35"),
    transient=True,
)  # fmt: skip
BELOW: Final = Check(
    "KTA212", "kafka-topic-below-min-isr", Severity.ERROR,
    "A partition of a topic where Kafka keeps its own state has fewer in-sync replicas than `min.insync.replicas`.",
    "Brokers write to these topics with `acks=all`, so they fail as if the partition had no leader: commits or "
    "transactions of the clients whose state is in it are refused.",
    "Start the missing brokers, or find out why their replicas do not keep up.",
    ("R1", "R35"),
    transient=True,
)  # fmt: skip
UNDER: Final = Check(
    "KTA213", "kafka-topic-under-replicated", Severity.WARNING,
    "Some replicas of a topic where Kafka keeps its own state are not in sync.",
    "The offsets of groups, or the state of transactions, are on fewer brokers than they should be. The message "
    "says whether losing one more broker stops the clients that need them.",
    "Bring the missing replicas back before you restart any broker.",
    ("R30", "R35"),
    transient=True,
)  # fmt: skip
FEW: Final = Check(
    "KTA214", "kafka-topic-few-replicas", Severity.WARNING,
    "A topic where Kafka keeps its own state cannot lose a broker, although the cluster has several.",
    "Kafka creates these topics once, with the replication that the brokers' settings have at that moment. A topic "
    "from the time when the cluster had one broker keeps one replica: losing that broker stops groups or "
    "transactions, and losing its disk forgets every offset. The same is true if `min.insync.replicas` of the topic "
    "is as high as its replicas.",
    "Reassign its partitions to more brokers with `kafka-reassign-partitions`. "
    "Settings such as `offsets.topic.replication.factor` count only when Kafka creates the topic.",
    ("R2", "R35"),
)  # fmt: skip
_STOPS: Final = {
    "__consumer_offsets": "groups whose offsets are there can neither join nor commit",
    "__transaction_state": "transactions whose state is there can neither begin nor end",
    "__share_group_state": "share groups whose state is there cannot read",
    "__remote_log_metadata": "brokers can neither find nor upload tiered segments",
}
_USUAL: Final = 3


def kafka_topic_findings(topology: Topology, live: Snapshot) -> Iterator[Finding]:
    brokers = live.of(BROKERS)
    declared = about_cluster(topology).declared
    for name in KAFKA_TOPICS:
        topic = live.of(OWN_TOPICS).get(name)
        if topic is None or isinstance(topic, Failure):
            continue  # on a new cluster, Kafka has not created it yet
        about = About("topic", name, declared)
        yield from _in_sync(topic, about)
        if not isinstance(brokers, Failure):
            # One that is down counts, if it is declared.
            yield from _few(topic, about, max(len(brokers), len(topology.cluster.brokers or ())))


def _in_sync(topic: LiveTopic, about: About) -> Iterator[Finding]:
    """Each partition is reported once, with its worst state."""
    states: dict[str, tuple[Check, list[int]]] = {}
    for number, placed in enumerate(topic.placement):
        state = state_of(placed, topic.min_in_sync)
        if state is not None:
            check = OFFLINE if state is PARTITION_OFFLINE else BELOW if state is BELOW_MIN_ISR else UNDER
            states.setdefault(check.id, (check, []))[1].append(number)
    for _, (check, partitions) in sorted(states.items()):
        affected = [topic.placement[number] for number in partitions]
        worst = min(affected, key=lambda each: len(each.in_sync))
        away = sorted({broker for each in affected for broker in set(each.replicas) - set(each.in_sync)})
        which = f"{topic.name}: {counted(len(partitions), 'partition')} ({listed(partitions)})"
        least = min(topic.min_in_sync or 1, len(worst.replicas))
        if check is OFFLINE:
            said = f"{which} {agreeing(len(partitions), 'has', 'have')} no leader; expected one: {_STOPS[topic.name]}"
        else:
            expected = f"at least {least}: {_STOPS[topic.name]}" if check is BELOW else str(len(worst.replicas))
            said = f"{which} with {len(worst.in_sync)} of {len(worst.replicas)} replicas in sync; expected {expected}"
        if check is UNDER and len(worst.in_sync) == least:
            said += f". If one more broker is lost, {_STOPS[topic.name]}"
        yield found(
            check,
            about,
            about.declared,
            said,
            f"look at {agreeing(len(away), 'broker', 'brokers')} {listed(away)}",
            expected=len(worst.replicas),
            actual=len(worst.in_sync),
            partitions=partitions,
            outOfSync=away,
            minInSync=topic.min_in_sync,
        )


def _few(topic: LiveTopic, about: About, brokers: int) -> Iterator[Finding]:
    least = min(topic.min_in_sync or 1, topic.replication)
    if brokers < 2 or topic.replication > least:
        return
    afterwards = min((max(sizes) for sizes in topic.moves), default=0)
    if afterwards > (topic.min_in_sync or 1):
        return  # a reassignment that adds replicas is under way
    wanted = max(min(_USUAL, brokers), topic.replication)
    replicas = counted(topic.replication, "replica")
    needs = "" if topic.replication == 1 else f", and min.insync.replicas needs {least} of them"
    expected = f"{wanted}" if wanted > topic.replication else f"min.insync.replicas below {topic.replication}"
    yield found(
        FEW,
        about,
        about.declared,
        f"{topic.name} has {replicas} on a cluster of {brokers} brokers{needs}; expected {expected}. If one broker is "
        f"lost, {_STOPS[topic.name]}",
        "reassign its partitions to more brokers with kafka-reassign-partitions"
        if wanted > topic.replication
        else "lower min.insync.replicas of the topic with kafka-configs",
        expected=wanted if wanted > topic.replication else f"min.insync.replicas below {least}",
        actual=topic.replication,
    )


SUBJECT: Final = Subject(
    order=25,
    words=("topic",),
    compares={
        "Kafka's own topics": "`__consumer_offsets`, `__transaction_state`, `__share_group_state` and "
        "`__remote_log_metadata`, if they exist: partitions without a leader, below `min.insync.replicas` or not all "
        "in sync; too few replicas to lose a broker"
    },
    reads=(OWN_TOPICS, BROKERS),
    checks=(OFFLINE, BELOW, UNDER, FEW),
    compare=without_options(kafka_topic_findings),
    is_health=True,
)
