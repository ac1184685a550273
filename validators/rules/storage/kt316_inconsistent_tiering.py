from __future__ import annotations

from collections.abc import Iterator

from kafka_topology.topology.kafka.effective import Setting
from kafka_topology.topology.kafka.quantities import AS_RETENTION
from kafka_topology.topology.model.declared import Topic
from kafka_topology.topology.model.findings import Severity
from kafka_topology.topology.model.places import Layer
from kafka_topology.topology.model.units import kafka_true
from kafka_topology.validators.engine.examples import (
    ORDERS_BLOCK,
    PRICES_BLOCK,
    changed,
    inheriting,
    on_cluster,
    orders_with,
)
from kafka_topology.validators.engine.helpers import is_described, problem_with, shown
from kafka_topology.validators.engine.rule import Bad, Context, Problem, rule

DOCS = """\
# KT316: inconsistent-tiering

The settings of tiered storage contradict each other.

Kafka refuses a tiered topic whose `cleanup.policy` is anything but `delete`, that keeps more locally than in total, or
whose brokers have no tiered storage. Apache Kafka has it off by default: if the file does not declare
`remote.log.storage.system.enable` of the brokers, that is a warning, unless `cluster.distribution` names somebody
else's brokers. With `remote.log.copy.disable`, local and total retention must be equal: -2 means just that. Local
retention on a topic that is not tiered has no effect, and the disks stay as full as before: Kafka accepts it, so that
is a warning. If a topic turns tiering off in so many words, or an environment does, the local retention is for a later
day, or for the other topics of the profile.

Fix: Set `remote.storage.enable` with a local retention below the total one, and `cleanup.policy: delete`.
"""

TIERED, COPY_OFF = "remote.storage.enable", "remote.log.copy.disable"
LOCAL = ("local.retention.ms", "local.retention.bytes")
_CLOSENESS = {Layer.PROFILE: 1, Layer.RESOURCE: 2, Layer.ENVIRONMENT: 3}  # the closest one decides


def check(context: Context) -> Iterator[Problem]:
    setting_them = {
        topic.name: topic for name in (TIERED, COPY_OFF, *LOCAL) for topic in context.index.topics_setting.get(name, ())
    }
    for topic in setting_them.values():
        if kafka_true(topic.config.get(TIERED)):
            yield from _tiered(context, topic)
        else:
            yield from _not_tiered(context, topic)


def _not_tiered(context: Context, topic: Topic) -> Iterator[Problem]:
    for name, nothing in ((LOCAL[0], "-2"), (LOCAL[1], "-2"), (COPY_OFF, "false")):
        setting = context.settings.topic(topic, name)
        if setting is None or name not in topic.config or setting.value == nothing:
            continue
        if not _is_meant_for_others(topic, setting):
            yield Problem(
                f"{topic.name}: {name} is {shown(setting)} but has no effect, because {TIERED} is not true; expected"
                " both",
                setting.place,
                topic.name,
                f"set {TIERED} to true, or remove {name}",
                severity=Severity.WARNING,
            )


def _is_meant_for_others(topic: Topic, setting: Setting) -> bool:
    """Whether tiering is turned off as close to the topic as this setting, or closer: it is kept for a later day, or
    for other topics of the profile and other environments."""
    if TIERED not in topic.config:
        return False
    off, place = topic.place("config", TIERED), setting.place
    if place.layer is Layer.PROFILE and off.layer is Layer.PROFILE:
        return place.name != off.name and off.name == topic.profile
    return _CLOSENESS.get(off.layer, 0) >= _CLOSENESS.get(place.layer, 0)


def _tiered(context: Context, topic: Topic) -> Iterator[Problem]:
    system = context.settings.broker("remote.log.storage.system.enable")
    if system is not None and system.is_declared and not system.is_true:
        yield Problem(
            f"{topic.name}: {TIERED} is true, but the brokers' remote.log.storage.system.enable is false; expected"
            " both to be true",
            topic.place("config", TIERED),
            topic.name,
            f"enable tiered storage on the brokers, or remove {TIERED}",
        )
    elif _is_off_by_default(context, system):
        yield Problem(
            f"{topic.name}: {TIERED} is true, but nothing says that the brokers have tiered storage, and Kafka's"
            " default of remote.log.storage.system.enable is false; expected it to be declared",
            topic.place("config", TIERED),
            topic.name,
            "declare `remote.log.storage.system.enable: true` under cluster.defaults once the brokers have it",
            severity=Severity.WARNING,
        )
    policy = context.settings.topic(topic, "cleanup.policy")
    if policy is not None and set(policy.items) != {"delete"}:
        yield problem_with(
            policy,
            topic,
            f"{TIERED} is true, but cleanup.policy is {policy.value or 'empty'}; expected delete, because"
            " Kafka tiers no other topics",
            f"set cleanup.policy to delete, or remove {TIERED}",
        )
    for name in LOCAL:
        yield from _local_retention(context, topic, name)


def _is_off_by_default(context: Context, system: Setting | None) -> bool:
    """Whether the brokers, as far as the file describes them, have no tiered storage."""
    cluster = context.topology.cluster
    if context.is_part or not is_described(cluster) or cluster.distribution != "apache":
        return False
    return system is not None and not system.is_true


def _local_retention(context: Context, topic: Topic, name: str) -> Iterator[Problem]:
    local = context.settings.topic(topic, name)
    whole = context.settings.topic(topic, name.removeprefix("local."))
    if local is None or whole is None or local.number is None or whole.number is None or local.number == AS_RETENTION:
        return
    if kafka_true(topic.config.get(COPY_OFF)) and local.number != whole.number:
        expected = f"the same, because {COPY_OFF} is true"
        fix = f"set {name} to -2, or remove it"
    elif whole.number >= 0 and not 0 <= local.number <= whole.number:
        expected = f"at most {shown(whole)}"
        fix = f"lower {name}, or remove it"
    else:
        return
    yield problem_with(
        local, topic, f"{name} is {shown(local)} with {whole.name} of {shown(whole)}; expected {expected}", fix
    )


ON = on_cluster(
    "brokers: 3, defaults: {remote.log.storage.system.enable: true}",
    orders_with("config: {remote.storage.enable: true}"),
)

GOOD = (
    ON,
    on_cluster("brokers: 3, distribution: msk", orders_with("config: {remote.storage.enable: true}")),
    ORDERS_BLOCK + "    retention: 30d\n    config: {remote.storage.enable: true, local.retention.ms: 1d}\n",
    inheriting(
        "replication: 3, retention: 30d, config: {remote.storage.enable: true, local.retention.ms: 1d}",
        "partitions: 6, config: {remote.storage.enable: false}",
    ),
    orders_with("config: {remote.storage.enable: false, local.retention.ms: 1d}"),
)
BAD = (
    Bad(orders_with("config: {local.retention.ms: 1d}"), line=3, column=72),
    Bad(
        orders_with("retention: 7d, config: {remote.storage.enable: true, local.retention.ms: 8d}"), line=3, column=116
    ),
    Bad(
        PRICES_BLOCK + "    key: {type: string}\n    config: {remote.storage.enable: true, cleanup.policy: compact}\n",
        line=7,
        column=59,
    ),
    Bad(
        on_cluster(
            "defaults: {remote.log.storage.system.enable: false}",
            inheriting("replication: 3, config: {remote.storage.enable: true}"),
        ),
        line=4,
        column=59,
        needs_whole=True,
    ),
    Bad(
        ORDERS_BLOCK
        + """\
    retention: 7d
    config: {remote.storage.enable: true, remote.log.copy.disable: true, local.retention.ms: 1d}
""",
        line=7,
        column=94,
    ),
    Bad(
        inheriting(
            "replication: 3, config: {remote.storage.enable: false}",
            "partitions: 6, config: {local.retention.ms: 1d}",
        ),
        line=5,
        column=72,
        needs_whole=True,
    ),
    Bad(
        orders_with('config: {remote.storage.enable: true, cleanup.policy: ""}'),
        line=3,
        column=97,
    ),
    Bad(
        changed(ON, {", defaults: {remote.log.storage.system.enable: true}": ""}),
        line=4,
        column=75,
        needs_whole=True,
    ),
)

RULE = rule(DOCS, Severity.ERROR, check, GOOD, BAD, requirements=("R27",), judges_parts=True)
