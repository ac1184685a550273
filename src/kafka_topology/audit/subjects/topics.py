"""Compares the topics of the cluster with the declared ones: missing, different and undeclared topics."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kafka_topology.topology.kafka.equal import same
from kafka_topology.topology.model.words import listed

from ...cluster.outcomes import Failure, FailureKind
from ...provider.resources.topic.inputs import is_owned
from ...topology.model.findings import Severity
from ..check import About, Check, found, value_text
from ..observing.live_topics import APPLICATION_TOPICS, TOPIC_NAMES, TOPICS
from ..subject import Subject, without_options

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ...cluster.live.topics import LiveTopic
    from ...topology.model.declared import Topic, Topology
    from ...topology.model.findings import Finding
    from ..observing.snapshot import Snapshot

TOPIC_MISSING: Final = Check(
    "KTA101", "topic-missing", Severity.ERROR,
    "A declared topic is not on the cluster.",
    "Its producers fail. If brokers create topics automatically, the producers write to a topic with default settings.",
    "Run `pulumi up`. If somebody deleted it by hand, `pulumi refresh` shows what else is gone.",
    ("R2",),
)  # fmt: skip
PARTITIONS_DIFFER: Final = Check(
    "KTA102", "partitions-differ", Severity.ERROR,
    "A topic has more or fewer partitions than declared.",
    "The number of partitions decides where keys go and how many members of a group can read at once. Raising it by "
    "hand moves keys to other partitions, and Kafka cannot lower it again.",
    "If the cluster has more, declare its number; if records have keys, add the earlier one to `key.history`. "
    "If it has fewer, run `pulumi up`.",
    ("R6", "R7"),
)  # fmt: skip
REPLICATION_DIFFERS: Final = Check(
    "KTA103", "replication-differs", Severity.ERROR,
    "The replication of a topic differs from the declared one.",
    "With fewer replicas than declared, the topic loses data when fewer brokers fail than you planned for.",
    "Run `pulumi up`: it moves replicas in a throttled reassignment. Partitions that are being moved to the declared "
    "replication are not reported.",
    ("R2", "R31"),
)  # fmt: skip
CONFIG_DIFFERS: Final = Check(
    "KTA104", "config-differs", Severity.ERROR,
    "A setting of a topic differs from the declared value, or is not set.",
    "Somebody changed it by hand. A shorter retention deletes data; with a lower `min.insync.replicas`, acknowledged "
    "records can be lost.",
    "Run `pulumi refresh` and `pulumi up` to set the declared value, or declare the value that you want.",
    ("R1", "R27"),
)  # fmt: skip
CONFIG_UNDECLARED: Final = Check(
    "KTA105", "config-undeclared", Severity.WARNING,
    "A topic on the cluster has a setting that is not declared.",
    "It is in force, but the files do not show it. `pulumi up` leaves undeclared settings alone by default.",
    "Declare it, or remove it from the topic.",
    ("R27",),
)  # fmt: skip
TOPIC_UNDECLARED: Final = Check(
    "KTA106", "topic-undeclared", Severity.WARNING,
    "A topic on the cluster is inside the ownership, but not declared. For a topic that an application keeps for "
    "itself, this is advice.",
    "Nobody reviewed its replication, retention or access. It may be left over from a test, or created automatically "
    "by a broker. Internal topics of declared streams applications are not reported. Topics that Kafka Connect, "
    "MirrorMaker, a schema registry or a Streams application creates and changes are named with their owner: without "
    "them it does not work.",
    "Declare it (`kafka-topology import` writes the YAML), or delete it if nothing uses it. Leave topics of an "
    "application to it, or narrow the ownership.",
    ("R35",),
)  # fmt: skip


def topic_findings(topology: Topology, live: Snapshot) -> Iterator[Finding]:
    for topic in topology.topics.values():
        seen = live.of(TOPICS).get(topic.name)
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
            f"declare {live.partitions}: Kafka cannot remove partitions" if more else "run pulumi up to add them",
            expected=topic.partitions,
            actual=live.partitions,
        )
    if not live.comes_to_replication(topic.replication):
        yield found(
            REPLICATION_DIFFERS,
            about(topic),
            topic.place("replication"),
            f"{name}: the cluster has {live.replication_text} replicas; expected {topic.replication}",
            "run pulumi up to reassign its partitions, or declare what is there",
            expected=topic.replication,
            actual=live.replication if live.is_even else live.replication_text,
        )
    for key, wanted in sorted(topic.config.items()):
        actual = live.config.get(key)
        if not same("topic", key, wanted, actual):
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
    owned, names = topology.ownership.topics, live.of(TOPIC_NAMES)
    if owned is None or names is None or isinstance(names, Failure):
        return
    read = live.of(APPLICATION_TOPICS)
    owners = {} if read is None or isinstance(read, Failure) else read
    # The prefix of the repartition and changelog topics of Kafka Streams.
    internal = tuple(f"{application}-" for application in topology.streams)
    for name in sorted(names - topology.topics.keys()):
        if is_owned(name, owned) and not name.startswith(internal):
            owner = owners.get(name)
            creates = "" if owner is None else f": {owner} creates and changes it"
            leave = f"leave it to {owner}, or narrow the ownership"
            yield found(
                TOPIC_UNDECLARED,
                About("topic", name, topology.ownership.location),
                topology.ownership.place("topics"),
                f"{name} is on the cluster and inside the ownership ({listed(owned)}), and is not declared{creates}",
                "declare it, or delete it if nothing uses it" if owner is None else leave,
                actual="a topic",
                severity=None if owner is None else Severity.ADVICE,
            )


SUBJECT: Final = Subject(
    order=10,
    kinds=("Topic",),
    words=("topic",),
    compares={
        "topics": "missing; partitions, replication and each setting, declared against live; settings that somebody "
        "set by hand; undeclared topics inside the ownership"
    },
    reads=(TOPICS, TOPIC_NAMES, APPLICATION_TOPICS),
    checks=(
        TOPIC_MISSING,
        PARTITIONS_DIFFER,
        REPLICATION_DIFFERS,
        CONFIG_DIFFERS,
        CONFIG_UNDECLARED,
        TOPIC_UNDECLARED,
    ),
    compare=without_options(topic_findings),
)
