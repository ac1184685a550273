from __future__ import annotations

from collections.abc import Iterator

from kafka_topology.topology.model.findings import Related, Severity
from kafka_topology.validators.engine.examples import changed, inheriting, orders_with
from kafka_topology.validators.engine.rule import Bad, Context, Problem, rule
from kafka_topology.validators.facts.partitioners import is_keyed
from kafka_topology.validators.facts.storage import Storage

DOCS = """\
# KT219: order-with-null-keys

A topic with per-key order allows null keys.

Producers spread records without a key over all partitions, so those have no order: neither among each other nor
relative to the records with a key. A producer that forgets the key then breaks the order without an error, and
`check` accepts it, because the topology allows it.

Fix: Set `key.nulls` to `forbidden`, or to `tombstones` if only values may be null. Put records without a key into a
topic of their own.
"""


def check(context: Context) -> Iterator[Problem]:
    storage = Storage(context)
    for topic in context.topology.topics.values():
        if topic.ordering != "per-key" or topic.partitions == 1 or topic.key is None or not is_keyed(topic):
            continue
        if topic.key.nulls == "allowed" and not storage.compacts(topic):  # KT208 reports compacted topics
            yield Problem(
                f"{topic.name}: ordering is per-key, but key.nulls is allowed, and records without a key have no"
                " order; expected forbidden or tombstones",
                topic.place("key", "nulls"),
                topic.name,
                "set key.nulls to forbidden, or to tombstones if only values may be null",
                (Related(topic.place("ordering").location, "the order is declared here"),),
            )


EXAMPLE = orders_with("ordering: per-key, key: {type: uuid, nulls: tombstones}")

GOOD = (EXAMPLE, orders_with("key: {type: uuid, nulls: allowed}"))
BAD = (
    Bad(changed(EXAMPLE, {"nulls: tombstones": "nulls: allowed"}), line=3, column=87),
    Bad(
        inheriting("replication: 3, key: {type: uuid, nulls: allowed}", "partitions: 6, ordering: per-key"),
        line=3,
        column=52,
    ),
)

RULE = rule(DOCS, Severity.WARNING, check, GOOD, BAD, requirements=("R8", "R11"))
