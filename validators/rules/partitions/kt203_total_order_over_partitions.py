from __future__ import annotations

from collections.abc import Iterator

from kafka_topology.topology.model.findings import Related, Severity
from kafka_topology.validators.engine.examples import changed, inheriting
from kafka_topology.validators.engine.helpers import count_place
from kafka_topology.validators.engine.rule import Bad, Context, Problem, rule

DOCS = """\
# KT203: total-order-over-partitions

A topic with total order has more than one partition.

Kafka keeps order only within a partition. Readers of two partitions see their records interleaved at random, so a
topic is totally ordered only with exactly one partition.

Fix: Use one partition, or find the key whose records must stay in order and declare `ordering: per-key`.
"""


def check(context: Context) -> Iterator[Problem]:
    for topic in context.topology.topics.values():
        if topic.ordering == "total" and topic.partitions > 1:
            yield Problem(
                f"{topic.name}: ordering is total with {topic.partitions} partitions; expected exactly 1",
                count_place(context.topology, topic, "partitions"),
                topic.name,
                "set partitions to 1 on a new topic, or declare a key and set the ordering to per-key",
                (Related(topic.place("ordering").location, "total order is declared here"),),
            )


EXAMPLE = "version: 1\ntopics:\n  ledger: {partitions: 1, replication: 3, ordering: total}\n"

GOOD = (
    EXAMPLE,
    "version: 1\ntopics:\n  ledger: {partitions: 6, replication: 3, ordering: per-key, key: {type: uuid}}\n",
)
BAD = (
    Bad(changed(EXAMPLE, {"partitions: 1": "partitions: 6"}), line=3, column=24),
    Bad(inheriting("partitions: 6, replication: 3", "ordering: total", topic="ledger"), line=3, column=23),
)

RULE = rule(DOCS, Severity.ERROR, check, GOOD, BAD, requirements=("R8",))
