"""Finds one broker that differs from the others: in its own settings, or in those it has for a topic."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Final

from kafka_topology.topology.kafka.synonyms import synonyms
from kafka_topology.topology.model.words import agreeing, counted, listed

from ....cluster.live.replicas import RATES
from ....cluster.live.topic_configs import differing
from ....cluster.outcomes import Failure
from ....topology.model.findings import Severity
from ...check import Check, about_cluster, found, value_text
from ...observing.live_cluster import BROKER_CONFIGS, brokers_up, of_each_broker
from ...observing.live_topics import TOPICS
from ...observing.snapshot import Observation, of_each
from ...subject import Subject, texts_option
from ..topics import about as about_topic

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping

    from ....cluster.outcomes import Outcome
    from ....topology.model.declared import Topic, Topology
    from ....topology.model.findings import Finding
    from ...observing.snapshot import Snapshot, Survey
    from ...subject import Options

SETTINGS_DIFFER: Final = Check(
    "KTA554", "broker-settings-differ", Severity.WARNING,
    "A setting of one broker differs from the other brokers.",
    "The cluster then behaves differently depending on which broker leads a partition. Often somebody changed a "
    "setting by hand, or a broker was not restarted after a change. Settings that belong to one broker, such as ids, "
    "listeners, racks, folders and key stores, are not compared, nor those that brokers keep secret.",
    "Configure all brokers alike. If brokers differ on purpose, name the settings in `ignore`.",
    ("R3",),
    (("ignore", (), "settings that may differ between brokers"),),
    transient=True,
)  # fmt: skip
TOPIC_DIFFERS: Final = Check(
    "KTA555", "topic-config-differs-by-broker", Severity.ERROR,
    "Brokers have different settings for the same topic.",
    "A known fault of Kafka 4.1: a broker that starts keeps the settings of a deleted topic for a later topic of the "
    "same name. Only that broker shows and uses them, so a partition that it leads may have another retention. The "
    "controller does not know them, and `pulumi up` sees them only if it happens to ask that broker. The audit asks "
    "each broker for the settings that any declared topic has, and for those about retention, compaction, segments, "
    "replicas and sizes of messages.",
    "Set each of these settings to a value, and remove it again if it should not be set.",
    ("R27",),
    transient=True,
)  # fmt: skip
_OF_ONE_BROKER: Final = frozenset(
    {
        "advertised.listeners",
        "broker.id",
        "broker.rack",
        "controller.listener.names",
        "controller.quorum.voters",
        "listeners",
        "listener.security.protocol.map",
        "log.dir",
        "log.dirs",
        "metadata.log.dir",
        "node.id",
        "process.roles",
        *RATES,
    }
)

_DANGEROUS: Final = frozenset(
    {
        "cleanup.policy",
        "compression.type",
        "delete.retention.ms",
        "max.message.bytes",
        "message.timestamp.type",
        "min.insync.replicas",
        "retention.bytes",
        "retention.ms",
        "segment.bytes",
        "segment.ms",
        "unclean.leader.election.enable",
    }
)


def _take(survey: Survey) -> Mapping[int, Outcome[Mapping[str, Mapping[str, str]]]]:
    """Needed only where brokers can differ."""
    topics = {name: topic for name, topic in survey.read(TOPICS).items() if not isinstance(topic, Failure)}
    if len(brokers_up(survey)) < 2 or not topics:
        return {}
    keys = _DANGEROUS.union(*(topic.config for topic in topics.values()), *(t.config for t in _declared(survey)))
    return of_each_broker(survey, lambda asked: survey.cluster.health.topic_configs(asked, topics, keys))


def _declared(survey: Survey) -> Collection[Topic]:
    return survey.topology.topics.values()


TOPIC_CONFIGS: Final = Observation("topic_configs", _take, of_each("brokers", "the settings of topics on"))
"""The settings of the declared topics, as each broker has them."""


def broker_findings(topology: Topology, live: Snapshot, options: Options) -> Iterator[Finding]:
    # Where a value is declared, each broker is compared with that.
    declared = {each.name for key in topology.cluster.defaults for each in synonyms(key)}
    yield from _settings(topology, live, declared.union(texts_option(options, SETTINGS_DIFFER, "ignore")))
    yield from _topics(topology, live)


def _settings(topology: Topology, live: Snapshot, ignored: Collection[str]) -> Iterator[Finding]:
    """Reports by broker: one that was not restarted differs in many settings at once."""
    known = {b: config for b, config in sorted(live.of(BROKER_CONFIGS).items()) if not isinstance(config, Failure)}
    names = {name for config in known.values() for name in config if name not in ignored and not _is_of_one(name)}
    odd: dict[int, dict[str, tuple[str | None, str | None]]] = {}
    for name in sorted(names):
        values = {broker: config.get(name) for broker, config in known.items()}
        usual = Counter(values.values()).most_common(1)[0][0]
        for broker, value in values.items():
            if value != usual:
                odd.setdefault(broker, {})[name] = (value, usual)
    about = about_cluster(topology)
    for broker, settings in sorted(odd.items()):
        said = [f"{n} is {value_text(n, v)} (elsewhere {value_text(n, usual)})" for n, (v, usual) in settings.items()]
        yield found(
            SETTINGS_DIFFER,
            about,
            about.declared,
            f"broker {broker} differs from the others in {counted(len(settings), 'setting')}: {listed(said, 3)}",
            "configure all brokers alike, or name the settings in the rule's option `ignore`",
            expected={name: usual for name, (_, usual) in settings.items()},
            actual={name: value for name, (value, _) in settings.items()},
            broker=broker,
        )


def _is_of_one(name: str) -> bool:
    return name in _OF_ONE_BROKER or name.startswith("listener.name.") or "keystore" in name


def _topics(topology: Topology, live: Snapshot) -> Iterator[Finding]:
    known = {b: configs for b, configs in live.of(TOPIC_CONFIGS).items() if not isinstance(configs, Failure)}
    for topic, by_broker in differing(known).items():
        declared = topology.topics[topic]
        for key in sorted({key for config in by_broker.values() for key in config}):
            values: dict[str | None, list[int]] = {}
            for broker, config in sorted(by_broker.items()):
                values.setdefault(config.get(key), []).append(broker)
            if len(values) < 2:
                continue
            said = [
                f"{value_text(key, value)} on {agreeing(len(brokers), 'broker', 'brokers')} {listed(brokers)}"
                for value, brokers in values.items()
            ]
            yield found(
                TOPIC_DIFFERS,
                about_topic(declared),
                declared.place("config", key) if key in declared.config else declared.location,
                f"{topic}: {key} is {' and '.join(said)}; expected one value",
                f"set {key} of the topic to a value, and remove it again if it should not be set",
                expected=declared.config.get(key),
                actual={str(broker): config.get(key) for broker, config in by_broker.items()},
                setting=key,
            )


SUBJECT: Final = Subject(
    order=76,
    words=("cluster", "topic"),
    compares={
        "each broker": "settings that differ from the other brokers; settings of declared topics that brokers do not "
        "agree about"
    },
    reads=(BROKER_CONFIGS, TOPIC_CONFIGS),
    checks=(SETTINGS_DIFFER, TOPIC_DIFFERS),
    compare=broker_findings,
    is_health=True,
)
