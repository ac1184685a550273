from __future__ import annotations

import math
from collections.abc import Iterator

from kafka_topology.topology.model.findings import Severity
from kafka_topology.validators.engine.examples import ORDERS, ORDERS_BLOCK, on_cluster, orders_with
from kafka_topology.validators.engine.helpers import NO_LIMIT, topic_problem
from kafka_topology.validators.engine.rule import Bad, Context, Problem, rule
from kafka_topology.validators.facts.storage import Storage

DOCS = """\
# KT315: unbounded-timestamps

Producers may write timestamps far in the future, and retention relies on them.

Retention by time uses the newest timestamp of a segment. One record from a clock that is a year ahead, or from a
producer that writes microseconds for milliseconds, keeps its whole segment that much longer. Since 4.0, Kafka allows
one hour.

Fix: Set `message.timestamp.after.max.ms` to an hour, or let the broker set the time with `LogAppendTime`.
"""

KEY = "message.timestamp.after.max.ms"


def check(context: Context) -> Iterator[Problem]:
    type_of = context.index.topic_text("message.timestamp.type")
    ahead_of = context.index.topic_number(KEY)
    around_of = context.index.topic_number("message.timestamp.difference.max.ms")  # the setting of 3.x
    storage = Storage(context)
    for topic in context.topology.topics.values():
        if ahead_of(topic) != NO_LIMIT or around_of(topic) not in (None, NO_LIMIT):
            continue
        if type_of(topic) != "CreateTime" or not storage.deletes(topic) or storage.retention_ms(topic) == math.inf:
            continue
        yield from topic_problem(
            context,
            topic,
            KEY,
            f"producers set the timestamps that retention uses, but {KEY} has no limit; expected a limit such as 1h",
            f"set {KEY} to 1h, or message.timestamp.type to LogAppendTime",
        )


GOOD = (
    on_cluster('kafka: "4.1"', ORDERS),
    on_cluster('kafka: "3.9"', orders_with("config: {message.timestamp.type: LogAppendTime}")),
)
BAD = (
    Bad(on_cluster('kafka: "3.9"', ORDERS_BLOCK), line=4, column=3),
    Bad(
        on_cluster('kafka: "4.1"', orders_with("config: {message.timestamp.after.max.ms: 9223372036854775807}")),
        line=4,
        column=84,
    ),
)

RULE = rule(DOCS, Severity.ADVICE, check, GOOD, BAD, requirements=("R27", "R29"))
