from __future__ import annotations

from collections.abc import Iterator

from kafka_topology.topology.model.findings import Edit, Related, Severity
from kafka_topology.topology.model.places import Layer
from kafka_topology.validators.engine.examples import ORDERS, inheriting
from kafka_topology.validators.engine.helpers import count_place
from kafka_topology.validators.engine.rule import Bad, Context, Problem, rule

DOCS = """\
# KT801: partitions-decreased

A topic would get fewer partitions.

Kafka cannot remove a partition: its records would have to go somewhere. A tool that does it anyway deletes the topic
and creates it again, and loses all records and offsets. kafka-topology refuses it, here and again when the change is
applied.

Fix: Keep the number, or create a second topic and move to it.
"""


def check(context: Context) -> Iterator[Problem]:
    for old, new in context.changes.topics:
        if new.partitions >= old.partitions:
            continue
        place = count_place(context.topology, new, "partitions")
        yield Problem(
            f"{new.name}: partitions goes from {old.partitions} to {new.partitions}, but Kafka cannot remove"
            f" partitions; expected at least {old.partitions}",
            place,
            new.name,
            f"keep {old.partitions}, or create a topic under another name and move readers and writers to it",
            related=(Related(count_place(context.changes.before, old, "partitions").location, "the earlier number"),),
            edits=(Edit(place.location, str(old.partitions)),) if place.layer is Layer.RESOURCE else (),
        )


BEFORE = "version: 1\ntopics:\n  orders: {partitions: 12, replication: 3}\n"
GOOD = ("version: 1\ntopics:\n  orders: {partitions: 24, replication: 3}\n",)
BAD = (Bad(ORDERS, line=3, column=24), Bad(inheriting("partitions: 3", "replication: 3"), line=3, column=23))

RULE = rule(DOCS, Severity.ERROR, check, GOOD, BAD, before=BEFORE, changed=("topic.partitions",), requirements=("R7",))
