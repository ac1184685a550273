from __future__ import annotations

from collections.abc import Iterator

from kafka_topology.topology.model.findings import Severity
from kafka_topology.validators.engine.helpers import cluster_name
from kafka_topology.validators.engine.rule import Bad, Context, Problem, rule

DOCS = """\
# KT706: weak-internal-topics

Kafka's internal topics have fewer than three replicas, or need all of them.

All groups store their offsets in one internal topic, and all transactions their state in another. If a partition of
these is lost or unavailable, groups start over or stop, however well their own topics are replicated.

Fix: Set `offsets.topic.replication.factor` and `transaction.state.log.replication.factor` to 3 on the brokers.
"""

# The replication of the brokers' own topics, and how many replicas must be in sync.
INTERNAL = (
    ("offsets.topic.replication.factor", None),
    ("transaction.state.log.replication.factor", "transaction.state.log.min.isr"),
    ("share.coordinator.state.topic.replication.factor", "share.coordinator.state.topic.min.isr"),
)


def check(context: Context) -> Iterator[Problem]:
    name = cluster_name(context.topology)
    for replication_key, min_isr_key in INTERNAL:
        replication = context.settings.broker(replication_key)
        if replication is None or replication.number is None:
            continue  # this version of Kafka has no such topic
        if replication.number < 3:
            yield Problem(
                f"{name}: {replication_key} is {replication.number}; expected at least 3",
                replication.place.location,
                name,
                f"set {replication_key} to 3 on the brokers, and raise the replication of the topic if it"
                " already exists",
            )
        min_isr = context.settings.broker(min_isr_key) if min_isr_key is not None else None
        if min_isr is None or min_isr.number is None or not min_isr.is_declared:
            continue
        if min_isr.number >= replication.number > 1:
            yield Problem(
                f"{name}: {min_isr_key} is {min_isr.number} with {replication.number} replicas, so losing one"
                f" broker stops it; expected at most {replication.number - 1}",
                min_isr.place.location,
                name,
                f"set {min_isr_key} to {replication.number - 1} on the brokers",
            )


GOOD = (
    "version: 1\ncluster: {brokers: 3}\n",
    "version: 1\ncluster:\n  defaults: {offsets.topic.replication.factor: 3}\n",
)
BAD = (
    Bad("version: 1\ncluster:\n  defaults: {offsets.topic.replication.factor: 1}\n", line=3, column=48),
    Bad("version: 1\ncluster:\n  defaults: {transaction.state.log.replication.factor: 2}\n", line=3, column=56),
    Bad("version: 1\ncluster:\n  defaults: {transaction.state.log.min.isr: 3}\n", line=3, column=45),
)

RULE = rule(DOCS, Severity.WARNING, check, GOOD, BAD, requirements=("R2", "R35"))
