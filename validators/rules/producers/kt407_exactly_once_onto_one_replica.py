from __future__ import annotations

from collections.abc import Iterator

from kafka_topology.topology.model.findings import Severity
from kafka_topology.validators.engine.examples import (
    CHECKOUT_EXACTLY_ONCE,
    ORDERS_BLOCK,
    changed,
    on_cluster,
    orders_with,
)
from kafka_topology.validators.engine.helpers import has_min_isr, own_edit, place_of, shown
from kafka_topology.validators.engine.rule import Bad, Context, Problem, rule

DOCS = """\
# KT407: exactly-once-onto-one-replica

A topic that is written exactly-once needs only one replica to acknowledge a record.

`acks=all` waits for all in-sync replicas, and with `min.insync.replicas: 1` that may be the leader alone. If that
broker is lost, so is a committed transaction: exactly-once silently becomes at-most-once. KT103 reports a topic with a
single replica, where no setting helps.

Fix: Set `min.insync.replicas: 2` with a replication of 3 on every topic that is written exactly-once.
"""


def check(context: Context) -> Iterator[Problem]:
    if not has_min_isr(context.topology.cluster):
        return
    topics = context.topology.topics
    writers: dict[str, list[str]] = {}
    for writer in context.index.clients.writers:
        if writer.is_exactly_once:
            for name in writer.topics:
                writers.setdefault(name, []).append(writer.name)
    for name, by in writers.items():
        topic = topics.get(name)
        min_isr = context.settings.topic(topic, "min.insync.replicas") if topic is not None else None
        if topic is None or topic.replication < 2 or min_isr is None or min_isr.number is None or min_isr.number >= 2:
            continue
        fix = "set min.insync.replicas to 2"
        if topic.replication < 3:
            fix += " and replication to 3"
        yield Problem(
            f"{name}: min.insync.replicas is {shown(min_isr)}, but the topic is written exactly once by"
            f" {', '.join(by)}; expected 2 or more",
            place_of(min_isr, topic),
            name,
            fix,
            edits=own_edit(min_isr, "2") if topic.replication >= 3 else (),
        )


EXAMPLE = orders_with("config: {min.insync.replicas: 2}") + CHECKOUT_EXACTLY_ONCE

GOOD = (
    EXAMPLE,
    "version: 1\ntopics:\n  orders: {partitions: 1, replication: 1}\n" + CHECKOUT_EXACTLY_ONCE,
    on_cluster("distribution: redpanda", ORDERS_BLOCK) + CHECKOUT_EXACTLY_ONCE,
)
BAD = (
    Bad(changed(EXAMPLE, {"min.insync.replicas: 2": "min.insync.replicas: 1"}), line=3, column=73),
    Bad(ORDERS_BLOCK + CHECKOUT_EXACTLY_ONCE, line=3, column=3),
    Bad(
        """\
version: 1
cluster:
  defaults: {min.insync.replicas: 1}
topics:
  orders: {partitions: 6, replication: 3}
  totals: {partitions: 6, replication: 3, config: {min.insync.replicas: 2}}
streams:
  copying: {reads: [totals], writes: [orders], delivery: exactly-once}
""",
        line=3,
        column=35,
    ),
)

RULE = rule(DOCS, Severity.ERROR, check, GOOD, BAD, requirements=("R16", "R18"))
