from __future__ import annotations

from collections.abc import Iterator

from kafka_topology.topology.model.declared import Topic
from kafka_topology.topology.model.findings import Severity
from kafka_topology.topology.model.units import kafka_true
from kafka_topology.validators.engine.examples import ORDERS_BLOCK, PRICES_BLOCK, inheriting, on_cluster, orders_with
from kafka_topology.validators.engine.helpers import problem_with, shown
from kafka_topology.validators.engine.rule import Bad, Context, Problem, rule

DOCS = """\
# KT316: inconsistent-tiering

The settings of tiered storage contradict each other.

Kafka refuses a tiered topic that is compacted, that keeps more locally than in total, or whose brokers have no tiered
storage. Local retention on a topic that is not tiered has no effect, and the disks stay as full as before.

Fix: Set `remote.storage.enable` with a local retention below the total one, and `cleanup.policy: delete`.
"""

TIERED, COPY_OFF = "remote.storage.enable", "remote.log.copy.disable"
LOCAL = ("local.retention.ms", "local.retention.bytes")
AS_RETENTION = -2


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
        if setting is not None and name in topic.config and setting.value != nothing:
            yield Problem(
                f"{topic.name}: {name} is {shown(setting)} but has no effect, because {TIERED} is not true; expected"
                " both",
                setting.place,
                topic.name,
                f"set {TIERED} to true, or remove {name}",
            )


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
    policy = context.settings.topic(topic, "cleanup.policy")
    if policy is not None and "compact" in policy.items:
        yield problem_with(
            policy,
            topic,
            f"{TIERED} is true, but cleanup.policy is {policy.value}; expected delete, because"
            " compacted topics cannot be tiered",
            f"set cleanup.policy to delete, or remove {TIERED}",
        )
    for name in LOCAL:
        yield from _local_retention(context, topic, name)


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


GOOD = (ORDERS_BLOCK + "    retention: 30d\n    config: {remote.storage.enable: true, local.retention.ms: 1d}\n",)
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
)

RULE = rule(DOCS, Severity.ERROR, check, GOOD, BAD, requirements=("R27",), judges_parts=True)
