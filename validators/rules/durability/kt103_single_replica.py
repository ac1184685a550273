from __future__ import annotations

from collections.abc import Iterator

from kafka_topology.topology.model.findings import Severity
from kafka_topology.validators.engine.examples import ORDERS, inheriting
from kafka_topology.validators.engine.rule import Bad, Context, Problem, rule
from kafka_topology.validators.facts.replication import with_replicas

DOCS = """\
# KT103: single-replica

A topic has only one replica.

The only copy of each record is on one disk of one broker. While the broker restarts, part of the topic cannot be
read or written. If the disk fails, the records are gone.

Fix: Set `replication` to 3. On a development cluster, turn the rule off in that environment.
"""


def check(context: Context) -> Iterator[Problem]:
    yield from with_replicas(context, 1, "a failed disk loses its records and a stopped broker makes it unavailable")


GOOD = (ORDERS,)
BAD = (
    Bad("version: 1\ntopics:\n  orders: {partitions: 6, replication: 1}\n", line=3, column=40),
    Bad(inheriting("replication: 1"), line=3, column=24),
    Bad(
        """\
version: 1
cluster: {defaults: {default.replication.factor: 1}}
topics:
  orders: {partitions: 6}
""",
        line=2,
        column=50,
    ),
)

RULE = rule(DOCS, Severity.ERROR, check, GOOD, BAD, requirements=("R2",), judges_parts=True)
