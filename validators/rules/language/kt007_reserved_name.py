from __future__ import annotations

from collections.abc import Iterator

from kafka_topology.topology.model.findings import Severity
from kafka_topology.validators.engine.rule import Bad, Context, Problem, rule

DOCS = """\
# KT007: reserved-name

A topic uses a name reserved for Kafka, such as `__consumer_offsets`: anything that starts with `__`.

Brokers create these topics themselves and store offsets, transactions, share groups and tiered storage in them.
Changing their partitions or cleanup policy destroys that state.

Fix: Leave Kafka's topics to Kafka, and choose another name for your own.
"""


def check(context: Context) -> Iterator[Problem]:
    for name, topic in context.topology.topics.items():
        if name.startswith("__"):
            yield Problem(
                f"{name}: names that start with `__` are reserved for Kafka; expected another name",
                topic.name_place(),
                name,
                "remove the topic, or choose a name that does not start with `__`",
            )


GOOD = ("version: 1\ntopics:\n  offsets: {partitions: 6, replication: 3}\n",)
BAD = (Bad("version: 1\ntopics:\n  __consumer_offsets:\n    partitions: 50\n    replication: 3\n", line=3, column=3),)

RULE = rule(DOCS, Severity.ERROR, check, GOOD, BAD, requirements=("R35",), judges_parts=True)
