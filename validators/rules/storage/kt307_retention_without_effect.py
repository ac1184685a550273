from __future__ import annotations

import math
from collections.abc import Iterator

from kafka_topology.topology.model.declared import Topic
from kafka_topology.topology.model.findings import Severity
from kafka_topology.validators.engine.examples import changed, inheriting
from kafka_topology.validators.engine.helpers import problem_with, related, shown
from kafka_topology.validators.engine.rule import Bad, Context, Problem, rule
from kafka_topology.validators.facts.storage import Storage

DOCS = """\
# KT307: retention-without-effect

A compacted topic has a retention without effect, or `compact,delete` without any retention.

`compact` alone keeps the last record of every key forever and ignores retention. `compact,delete` also deletes by
retention, and without one deletes nothing. Either way, the file declares something that does not happen.

Fix: Use `compact` without retention to keep every key, or `compact,delete` with one to delete old keys.
"""


def check(context: Context) -> Iterator[Problem]:
    storage = Storage(context)
    for topic in context.topology.topics.values():
        if not storage.compacts(topic):
            continue
        if storage.deletes(topic):
            yield from _delete_without_retention(context, topic, storage)
        else:
            yield from _retention_without_delete(context, topic)


def _retention_without_delete(context: Context, topic: Topic) -> Iterator[Problem]:
    policy = context.settings.topic(topic, "cleanup.policy")
    for key in ("retention.ms", "retention.bytes"):
        setting = context.settings.topic(topic, key) if topic.config.get(key, "-1") != "-1" else None
        if setting is not None and policy is not None:
            yield Problem(
                f"{topic.name}: {key} is {shown(setting)} but has no effect, because cleanup.policy is compact;"
                " expected compact,delete, or no retention",
                setting.place,
                topic.name,
                f"remove {key}, or set cleanup.policy to compact,delete if old keys should be deleted",
                related(policy, "the policy is set here"),
            )


def _delete_without_retention(context: Context, topic: Topic, storage: Storage) -> Iterator[Problem]:
    policy = context.settings.topic(topic, "cleanup.policy")
    if any(context.settings.topic(topic, key) is None for key in ("retention.ms", "retention.bytes")):
        return  # the brokers' defaults are unknown
    if policy is not None and storage.retention_ms(topic) == storage.retention_bytes(topic) == math.inf:
        yield problem_with(
            policy,
            topic,
            f"cleanup.policy is {policy.value} without a retention by time or size, so nothing is"
            " deleted; expected a retention, or compact alone",
            "set retention, or set cleanup.policy to compact",
        )


PRICES = """\
version: 1
topics:
  prices: {partitions: 6, replication: 3, key: {type: string}, config: {cleanup.policy: compact}}
"""

GOOD = (
    PRICES
    + """\
  sessions:
    partitions: 6
    replication: 3
    key: {type: string}
    retention: 7d
    config: {cleanup.policy: [compact, delete]}
""",
)
BAD = (
    Bad(changed(PRICES, {"config:": "retention: 7d, config:"}), line=3, column=75),
    Bad(
        inheriting(
            "replication: 3, retention: 7d",
            "partitions: 6, key: {type: string}, config: {cleanup.policy: compact}",
            topic="prices",
        ),
        line=3,
        column=38,
    ),
    Bad(
        """\
version: 1
topics:
  sessions:
    partitions: 6
    replication: 3
    key: {type: string}
    config: {cleanup.policy: "compact,delete", retention.ms: -1}
""",
        line=7,
        column=30,
        needs_whole=True,
    ),
)

RULE = rule(DOCS, Severity.WARNING, check, GOOD, BAD, requirements=("R12", "R27"), judges_parts=True)
