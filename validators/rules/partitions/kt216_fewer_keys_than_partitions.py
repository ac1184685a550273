from __future__ import annotations

from collections.abc import Iterator

from kafka_topology.topology.model.findings import Related, Severity
from kafka_topology.validators.engine.examples import changed, orders_with
from kafka_topology.validators.engine.helpers import count_place
from kafka_topology.validators.engine.rule import Bad, Context, Problem, rule
from kafka_topology.validators.facts.partitioners import looks_at_key

DOCS = """\
# KT216: fewer-keys-than-partitions

A topic has fewer distinct keys than partitions.

All records of a key are in one partition. With fewer keys than partitions, some partitions stay empty, their
consumers are idle, and the others carry the whole load.

Fix: Use fewer partitions, or a key with more values.
"""


def check(context: Context) -> Iterator[Problem]:
    for topic in context.topology.topics.values():
        key = topic.key
        if key is None or key.distinct is None or key.distinct >= topic.partitions:
            continue
        if looks_at_key(key.partitioner.name):
            yield Problem(
                f"{topic.name}: {key.distinct} distinct keys over {topic.partitions} partitions leave at least"
                f" {topic.partitions - key.distinct} empty; expected at most {key.distinct} partitions, or"
                " more keys",
                count_place(context.topology, topic, "partitions"),
                topic.name,
                f"use at most {key.distinct} partitions, or a key with more values",
                (Related(topic.place("key", "distinct").location, "the number of keys"),),
            )


EXAMPLE = orders_with("key: {type: string, distinct: 5000}")

GOOD = (EXAMPLE,)
BAD = (Bad(changed(EXAMPLE, {"distinct: 5000": "distinct: 4"}), line=3, column=24),)

RULE = rule(DOCS, Severity.WARNING, check, GOOD, BAD, requirements=("R4", "R11", "R13"))
