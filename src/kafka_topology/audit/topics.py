"""Topics of the cluster against the declared ones: what is missing, what differs, what nobody declared."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from ...topology.findings import Severity
from ..config_values import same
from ..outcomes import Failure, FailureKind
from ..topics import is_owned
from .check import About, Check, found, listed, value_text

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ...topology.findings import Finding
    from ...topology.model import Topic, Topology
    from ..topic_plan import LiveTopic
    from .snapshot import Snapshot

TOPIC_MISSING: Final = Check(
    "KTA101", "topic-missing", Severity.ERROR,
    "A declared topic is not on the cluster.",
    "Its producers fail, or, where brokers create topics by themselves, write to one that nobody has sized.",
    "Run `pulumi up`. If it was deleted by hand, `pulumi refresh` shows what else is gone.",
    ("R2",),
)  # fmt: skip
PARTITIONS_DIFFER: Final = Check(
    "KTA102", "partitions-differ", Severity.ERROR,
    "A topic has more or fewer partitions than declared.",
    "Keys are placed by the number of partitions, and groups are sized by it. One that somebody raised by hand has "
    "moved keys, and Kafka cannot lower it again.",
    "When the cluster has more, declare its number, with the earlier one in `key.history` where records have keys. "
    "When it has fewer, run `pulumi up`.",
    ("R6", "R7"),
)  # fmt: skip
REPLICATION_DIFFERS: Final = Check(
    "KTA103", "replication-differs", Severity.ERROR,
    "A topic has another number of replicas than declared.",
    "With fewer replicas than declared, losing as many brokers as the declaration allows loses data.",
    "Run `pulumi up`: it moves replicas by a throttled reassignment. One that is under way does not count.",
    ("R2", "R31"),
)  # fmt: skip
CONFIG_DIFFERS: Final = Check(
    "KTA104", "config-differs", Severity.ERROR,
    "A setting of a topic has another value than declared, or is not set.",
    "Somebody changed it by hand. A shorter retention deletes data; a lower `min.insync.replicas` lets acknowledged "
    "records be lost.",
    "Run `pulumi refresh` and `pulumi up` to set what is declared, or declare what is wanted.",
    ("R1", "R27"),
)  # fmt: skip
CONFIG_UNDECLARED: Final = Check(
    "KTA105", "config-undeclared", Severity.WARNING,
    "A setting was made on a topic of the cluster, and is not declared.",
    "It is in force, and nobody who reads the file knows. `pulumi up` leaves it alone, for it never declared it.",
    "Declare it, or remove it from the topic.",
    ("R27",),
)  # fmt: skip
TOPIC_UNDECLARED: Final = Check(
    "KTA106", "topic-undeclared", Severity.WARNING,
    "A topic of the cluster is inside the ownership, and is not declared.",
    "Nobody reviewed its replication, retention or access. It may be left from a test, or made by a broker that "
    "creates topics by itself. Internal topics of declared streams applications do not count.",
    "Declare it (`kafka-topology import` writes the YAML), or delete it.",
    ("R35",),
)  # fmt: skip
CHECKS: Final = (
    TOPIC_MISSING,
    PARTITIONS_DIFFER,
    REPLICATION_DIFFERS,
    CONFIG_DIFFERS,
    CONFIG_UNDECLARED,
    TOPIC_UNDECLARED,
)


def topic_findings(topology: Topology, live: Snapshot) -> Iterator[Finding]:
    for topic in topology.topics.values():
        seen = live.topics.get(topic.name)
        if isinstance(seen, Failure):
            if seen.kind is FailureKind.MISSING:
                yield _missing(topic)
        elif seen is not None:
            yield from _differences(topic, seen)
    yield from _undeclared(topology, live)


def about(topic: Topic) -> About:
    return About("topic", topic.name, topic.location)


def _missing(topic: Topic) -> Finding:
    message = f"{topic.name} is not on the cluster; expected a topic of {topic.partitions} partitions"
    return found(TOPIC_MISSING, about(topic), topic.location, message, "run pulumi up", expected="a topic")


def _differences(topic: Topic, live: LiveTopic) -> Iterator[Finding]:
    name = topic.name
    if live.partitions != topic.partitions:
        more = live.partitions > topic.partitions
        yield found(
            PARTITIONS_DIFFER,
            about(topic),
            topic.place("partitions"),
            f"{name}: the cluster has {live.partitions:,} partitions; expected {topic.partitions:,}",
            f"declare {live.partitions}, for Kafka cannot remove partitions" if more else "run pulumi up to add them",
            expected=topic.partitions,
            actual=live.partitions,
        )
    # While replicas are copied, the old and the new ones are counted.
    if live.replication != topic.replication and not live.throttled:
        yield found(
            REPLICATION_DIFFERS,
            about(topic),
            topic.place("replication"),
            f"{name}: the cluster has {live.replication} replicas; expected {topic.replication}",
            "run pulumi up to reassign its partitions, or declare what is there",
            expected=topic.replication,
            actual=live.replication,
        )
    for key, wanted in sorted(topic.config.items()):
        actual = live.config.get(key)
        if not same(wanted, actual):
            yield found(
                CONFIG_DIFFERS,
                about(topic),
                topic.place("config", key),
                f"{name}: {key} is {value_text(key, actual)} on the cluster; expected {value_text(key, wanted)}",
                "run pulumi refresh and pulumi up to set it, or declare what is there",
                expected=wanted,
                actual=actual,
                setting=key,
            )
    for key in sorted(live.config.keys() - topic.config.keys()):
        yield found(
            CONFIG_UNDECLARED,
            about(topic),
            topic.location,
            f"{name}: {key} is {value_text(key, live.config[key])} on the cluster, and is not declared",
            "declare it, or remove it from the topic",
            actual=live.config[key],
            setting=key,
        )


def _undeclared(topology: Topology, live: Snapshot) -> Iterator[Finding]:
    owned, names = topology.ownership.topics, live.topic_names
    if owned is None or names is None or isinstance(names, Failure):
        return
    # Kafka Streams names its repartition and changelog topics so.
    internal = tuple(f"{application}-" for application in topology.streams)
    for name in sorted(names - topology.topics.keys()):
        if is_owned(name, owned) and not name.startswith(internal):
            yield found(
                TOPIC_UNDECLARED,
                About("topic", name, topology.ownership.location),
                topology.ownership.place("topics"),
                f"{name} is on the cluster and inside the ownership ({listed(owned)}), and is not declared",
                "declare it, or delete it",
                actual="a topic",
            )
