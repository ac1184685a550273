from __future__ import annotations

from collections.abc import Iterator

from kafka_topology.topology.model.declared import Topic
from kafka_topology.topology.model.findings import Related, Severity
from kafka_topology.validators.engine.examples import SHOP_ORDERS
from kafka_topology.validators.engine.rule import Bad, Context, Problem, rule

DOCS = """\
# KT009: colliding-names

The names of two topics differ only in `.` and `_`.

Metric names replace every `.` with `_`, so both topics would report under one name. Kafka refuses to create the
second one.

Fix: Use either `.` or `_` in topic names, not both.
"""


def check(context: Context) -> Iterator[Problem]:
    first_by_metric: dict[str, Topic] = {}
    for name, topic in context.topology.topics.items():
        first = first_by_metric.setdefault(name.replace(".", "_"), topic)
        if first is not topic:
            yield Problem(
                f"{name}: the name collides with {first.name}, because Kafka treats `.` and `_` as the same"
                " and refuses the second; expected names that differ in more than that",
                topic.name_place(),
                name,
                "rename one of the two before you create it",
                (Related(first.location, f"{first.name} is declared here"),),
            )


GOOD = (SHOP_ORDERS + "  shop.payments: {partitions: 6, replication: 3}\n",)
BAD = (
    Bad(
        """\
version: 1
topics:
  shop.orders:
    partitions: 6
    replication: 3
  shop_orders:
    partitions: 6
    replication: 3
""",
        line=6,
        column=3,
    ),
)

RULE = rule(DOCS, Severity.ERROR, check, GOOD, BAD, judges_parts=True)
