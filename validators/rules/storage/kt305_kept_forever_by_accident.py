from __future__ import annotations

import math
from collections.abc import Iterator

from kafka_topology.topology.model.findings import Severity
from kafka_topology.validators.engine.examples import ORDERS, on_cluster, orders_with
from kafka_topology.validators.engine.helpers import topic_problem
from kafka_topology.validators.engine.rule import Bad, Context, Problem, rule
from kafka_topology.validators.facts.storage import Storage

DOCS = """\
# KT305: kept-forever-by-accident

Records are kept forever, and nothing says that this is intended.

-1 means no limit. Without a limit by time or size, the topic grows until the disk is full, and then its broker
stops.

Fix: Set `retention`, or write `retention: forever` to say that it is intended.
"""


def check(context: Context) -> Iterator[Problem]:
    storage = Storage(context)
    for topic in context.topology.topics.values():
        if topic.kept_forever or storage.compacts(topic):
            continue
        if not storage.deletes(topic):
            key, found = "cleanup.policy", "cleanup.policy is empty"
        elif storage.retention_ms(topic) == storage.retention_bytes(topic) == math.inf:
            key, found = "retention.ms", "retention.ms and retention.bytes are -1"
        else:
            continue
        yield from topic_problem(
            context,
            topic,
            key,
            f"{found}, so its records are kept forever; expected a limit, or `retention: forever`",
            "set retention, or write `retention: forever` if that is intended",
        )


GOOD = (orders_with("retention: forever"), orders_with("config: {retention.ms: -1, retention.bytes: 1GiB}"))
BAD = (
    Bad(orders_with("config: {retention.ms: -1}"), line=3, column=66),
    Bad(on_cluster("defaults: {log.retention.hours: -1}", ORDERS), line=2, column=43),
)

RULE = rule(DOCS, Severity.WARNING, check, GOOD, BAD, requirements=("R27",))
