from __future__ import annotations

from collections.abc import Iterator

from kafka_topology.topology.kafka.partitioners import OPAQUE_PARTITIONERS
from kafka_topology.topology.model.findings import Severity
from kafka_topology.validators.engine.examples import orders_with
from kafka_topology.validators.engine.rule import Bad, Context, Problem, rule

DOCS = """\
# KT212: partitioner-not-verifiable

Keys are placed by code that the topology does not describe.

With `explicit` or `custom` alone, nobody can check or explain where records are placed, and a second producer has
to guess.

Fix: Describe the placement as a `range`, a `list` or an `expression`; then `kafka-topology check` can verify it.
"""


def check(context: Context) -> Iterator[Problem]:
    for topic in context.topology.topics.values():
        if topic.key is None or topic.key.partitioner.name not in OPAQUE_PARTITIONERS:
            continue
        if topic.key.partitioner.expression is None and topic.partitions > 1:
            yield Problem(
                f"{topic.name}: key.partitioner is {topic.key.partitioner.name}, so nobody can tell where a"
                " key belongs; expected a range, a list or an expression",
                topic.place("key", "partitioner"),
                topic.name,
                "declare the placement as {range: …}, {list: …} or {expression: …}",
            )


GOOD = (
    """\
version: 1
topics:
  orders:
    partitions: 2
    replication: 3
    key: {type: string, partitioner: {list: {eu: 0, us: 1}}}
""",
)
BAD = (Bad(orders_with("key: {type: string, partitioner: custom}"), line=3, column=76),)

RULE = rule(DOCS, Severity.ADVICE, check, GOOD, BAD, requirements=("R10",))
