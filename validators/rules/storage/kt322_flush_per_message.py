from __future__ import annotations

from collections.abc import Iterator

from kafka_topology.topology.model.findings import Severity
from kafka_topology.validators.engine.examples import ORDERS, inheriting, on_cluster, orders_with
from kafka_topology.validators.engine.helpers import problem_with, shown
from kafka_topology.validators.engine.rule import Bad, Context, Option, Problem, rule

DOCS = """\
# KT322: flush-per-message

A topic is flushed to disk after every record, or after a few.

Kafka is durable by replication: a record that `min.insync.replicas` brokers have is safe although no disk was
flushed. A flush after each record waits for the disk each time, which makes writes slower by two to three orders of
magnitude, on every replica. It protects only against all replicas losing power at the same time.

Fix: Remove `flush.messages`. If every rack may lose power at once, put the replicas into different ones.
"""

KEY = "flush.messages"


def check(context: Context) -> Iterator[Problem]:
    number_of = context.index.topic_number(KEY)
    fewest = context.number("fewest")
    for topic in context.topology.topics.values():
        number = number_of(topic)
        if number is None or number >= fewest:
            continue
        setting = context.settings.topic(topic, KEY)
        if setting is not None:
            each = "every record" if number == 1 else f"every {number} records"
            yield problem_with(
                setting,
                topic,
                f"{KEY} is {shown(setting)}, so each replica waits for its disk after {each}; expected no such limit",
                f"remove {KEY}, and rely on min.insync.replicas",
            )


OPTIONS = (Option("fewest", 1000, "Fewer records between two flushes count as too few."),)
GOOD = (ORDERS, orders_with("config: {flush.messages: 100000}"))
BAD = (
    Bad(orders_with("config: {flush.messages: 1}"), line=3, column=68),
    Bad(inheriting("replication: 3, config: {flush.messages: 5}"), line=3, column=52),
    Bad(on_cluster("defaults: {log.flush.interval.messages: 1}", ORDERS), line=2, column=51, needs_whole=True),
)

RULE = rule(DOCS, Severity.WARNING, check, GOOD, BAD, options=OPTIONS, requirements=("R27",), judges_parts=True)
