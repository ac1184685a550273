from __future__ import annotations

from collections.abc import Iterator

from kafka_topology.topology.model.findings import Related, Severity
from kafka_topology.validators.engine.examples import ORDERS
from kafka_topology.validators.engine.rule import Bad, Context, Problem, rule

DOCS = """\
# KT804: protected-topic-removed

A protected topic was removed from the topology.

Removing a topic deletes its records. Every topic is protected by default, so a deletion takes two changes that two
people can see: one that allows it, and one that does it.

Fix: Set `deletion: allowed` first, apply it, then remove the topic.
"""


def check(context: Context) -> Iterator[Problem]:
    for topic in context.changes.removed_topics:
        if topic.deletion != "protected":
            continue
        yield Problem(
            f"{topic.name}: the topic was removed from the topology but is protected; expected it here, or `deletion:"
            " allowed` in an earlier change",
            context.changes.lost_at("topics", topic.location),
            topic.name,
            "put it back; to delete it, first apply `deletion: allowed`, then remove it",
            related=(Related(topic.location, f"{topic.name} was here"),),
        )


BEFORE = ORDERS + "  scratch: {partitions: 6, replication: 3, deletion: allowed}\n"
GOOD = (ORDERS,)
BAD = (Bad("version: 1\ntopics:\n  scratch: {partitions: 6, replication: 3, deletion: allowed}\n", line=3, column=12),)

RULE = rule(DOCS, Severity.ERROR, check, GOOD, BAD, before=BEFORE, changed=("topic",), requirements=("R7",))
