from __future__ import annotations

from collections.abc import Iterator

from kafka_topology.topology.model.findings import Related, Severity
from kafka_topology.validators.engine.examples import ORDERED, changed, orders_with
from kafka_topology.validators.engine.rule import Bad, Context, Problem, rule
from kafka_topology.validators.facts.partitioners import is_keyed, looks_at_key, name_of, used_by

DOCS = """\
# KT214: order-on-ignored-keys

A topic has per-key order, but a partitioner that ignores the key.

Round robin, sticky and random partitioners, and `partitioner.ignore.keys`, spread the records of one key over all
partitions. Records have a key but no order.

Fix: Use a partitioner that places by key, such as `murmur2`, or declare `ordering: none`.
"""


def check(context: Context) -> Iterator[Problem]:
    for topic in context.topology.topics.values():
        if topic.ordering != "per-key" or topic.partitions == 1 or topic.key is None or not is_keyed(topic):
            continue
        said = topic.key.partitioner.name
        if not looks_at_key(said):
            yield Problem(
                f"{topic.name}: ordering is per-key, but key.partitioner is {said}, which ignores the key;"
                " expected one that uses it, such as murmur2",
                topic.place("key", "partitioner"),
                topic.name,
                "set key.partitioner to the one that the producers place keys with, or set the ordering to none",
                (Related(topic.place("ordering").location, "the order is declared here"),),
            )
            continue
        for writer in context.index.writers_of(topic.name):
            used, path = used_by(writer, topic)
            if not looks_at_key(used):
                name = name_of(writer)
                yield Problem(
                    f"{name}: it writes {topic.name}, which is ordered per key, with {used}, which ignores the"
                    f" key; expected {said}",
                    writer.place(*path),
                    name,
                    f"set the client's partitioner to {said}",
                    (Related(topic.place("ordering").location, "the order is declared here"),),
                )


EXAMPLE = ORDERED + "producers:\n  checkout: {topics: [orders], partitioner: sticky}\n"

GOOD = (
    orders_with("ordering: per-key, key: {type: uuid, partitioner: murmur2}")
    + """\
  clicks: {partitions: 6, replication: 3, key: {type: uuid, partitioner: round-robin}}
producers:
  checkout: {topics: [orders]}
""",
)
BAD = (
    Bad(orders_with("ordering: per-key, key: {type: uuid, partitioner: round-robin}"), line=3, column=93),
    Bad(EXAMPLE, line=5, column=45),
    Bad(changed(EXAMPLE, {"partitioner: sticky": "config: {partitioner.ignore.keys: true}"}), line=5, column=66),
)

RULE = rule(DOCS, Severity.ERROR, check, GOOD, BAD, requirements=("R8", "R10"))
