from __future__ import annotations

from collections.abc import Iterator

from kafka_topology.topology.model.findings import Severity
from kafka_topology.validators.engine.examples import ORDERS, inheriting
from kafka_topology.validators.engine.rule import Bad, Context, Problem, rule
from kafka_topology.validators.facts.replication import with_replicas

DOCS = """\
# KT105: two-replicas

A topic has only two replicas.

With two replicas, `min.insync.replicas` is either 2, and one stopped broker stops every safe writer, or 1, and an
acknowledged record may be on a single disk. Three replicas with 2 in sync survive the loss of one broker without
either problem.

Fix: Set `replication` to 3.
"""


def check(context: Context) -> Iterator[Problem]:
    yield from with_replicas(context, 2, "the topic cannot be both safe and available when a broker fails")


GOOD = (ORDERS,)
BAD = (
    Bad("version: 1\ntopics:\n  orders: {partitions: 6, replication: 2}\n", line=3, column=40),
    Bad(inheriting("replication: 2"), line=3, column=24),
)

RULE = rule(DOCS, Severity.WARNING, check, GOOD, BAD, requirements=("R2",), judges_parts=True)
