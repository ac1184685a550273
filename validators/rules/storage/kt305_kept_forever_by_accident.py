from __future__ import annotations

import math
from collections.abc import Iterator

from kafka_topology.topology.model.declared import Topic
from kafka_topology.topology.model.findings import Severity
from kafka_topology.validators.engine.examples import ORDERS, on_cluster, orders_with
from kafka_topology.validators.engine.helpers import topic_problem
from kafka_topology.validators.engine.rule import Bad, Context, Problem, rule
from kafka_topology.validators.facts.storage import Storage
from kafka_topology.validators.facts.topic_purposes import purpose_of

DOCS = """\
# KT305: kept-forever-by-accident

Records are kept forever, and nothing says that this is intended.

-1 means no limit. Without a limit by time or size, the topic grows until the disk is full, and then its broker
stops. With an empty `cleanup.policy`, Kafka deletes nothing, whatever the retention is. The rule skips topics that a
tool or framework keeps for itself, by their names: Kafka Streams creates its repartition topics without a limit and
deletes what it has read.

Fix: Set `retention`, and `cleanup.policy: delete` if it is empty, or write `retention: forever` to say that it is
intended.
"""


def check(context: Context) -> Iterator[Problem]:
    storage = Storage(context)
    for topic in context.topology.topics.values():
        if topic.kept_forever or storage.compacts(topic) or purpose_of(topic.name) is not None:
            continue
        fix = "set retention, or write `retention: forever` if that is intended"
        if not storage.deletes(topic):
            key, found, expected = "cleanup.policy", "cleanup.policy is empty", "delete"
            fix = "set cleanup.policy to delete, or write `retention: forever` if that is intended"
        elif storage.retention_ms(topic) == storage.retention_bytes(topic) == math.inf:
            key, found, expected = "retention.ms", _unlimited(context, topic), "a limit"
        else:
            continue
        yield from topic_problem(
            context,
            topic,
            key,
            f"{found}, so its records are kept forever; expected {expected}, or `retention: forever`",
            fix,
        )


def _unlimited(context: Context, topic: Topic) -> str:
    """Kafka takes any negative number for no limit, and the message has the one that is written."""
    settings = [context.settings.topic(topic, key) for key in ("retention.ms", "retention.bytes")]
    return " and ".join(f"{setting.name} is {setting.value}" for setting in settings if setting is not None)


GOOD = (
    orders_with("retention: forever"),
    orders_with("config: {retention.ms: -1, retention.bytes: 1GiB}"),
    """\
version: 1
topics:
  summing-by-customer-repartition: {partitions: 6, replication: 3, config: {retention.ms: -1}}
""",
)
BAD = (
    Bad(orders_with("config: {retention.ms: -1}"), line=3, column=66),
    Bad(orders_with('retention: 7d, config: {cleanup.policy: ""}'), line=3, column=83),
    Bad(on_cluster("defaults: {log.retention.hours: -1}", ORDERS), line=2, column=43),
)

RULE = rule(DOCS, Severity.WARNING, check, GOOD, BAD, requirements=("R27",))
