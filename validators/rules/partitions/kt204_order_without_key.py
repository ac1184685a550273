from __future__ import annotations

from collections.abc import Iterator

from kafka_topology.topology.model.findings import Severity
from kafka_topology.validators.engine.examples import ORDERS_BLOCK, inheriting, orders_with
from kafka_topology.validators.engine.rule import Bad, Context, Problem, rule
from kafka_topology.validators.facts.partitioners import is_keyed

DOCS = """\
# KT204: order-without-key

A topic with per-key order has no key.

Records stay in order if they are in the same partition, and the key puts them there. Without a key they are spread
over all partitions, and two records of the same order or truck may be read in either order.

Fix: Declare `key` with its type and, if the key repeats a field of the value, with that `field`.
"""


def check(context: Context) -> Iterator[Problem]:
    for topic in context.topology.topics.values():
        if topic.ordering != "per-key" or is_keyed(topic):
            continue
        if topic.key is None:
            found, place = "no key is declared", topic.place("ordering")
        else:
            found, place = "key.type is none", topic.place("key", "type")
        yield Problem(
            f"{topic.name}: ordering is per-key, but {found}; expected a key",
            place,
            topic.name,
            "declare the key whose records must stay in order, such as `key: {type: uuid, field: order_id}`",
        )


GOOD = (orders_with("ordering: per-key, key: {type: uuid, field: order_id}"),)
BAD = (
    Bad(orders_with("ordering: per-key"), line=3, column=53),
    Bad(ORDERS_BLOCK + "    ordering: per-key\n    key: {type: none}\n", line=7, column=17),
    Bad(inheriting("replication: 3, ordering: per-key"), line=3, column=37),
)

RULE = rule(DOCS, Severity.ERROR, check, GOOD, BAD, requirements=("R8", "R11"))
