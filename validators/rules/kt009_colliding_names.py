from __future__ import annotations

from collections.abc import Iterator

from ...topology.findings import Related, Severity
from ...topology.model import Topic
from ..rule import Bad, Context, Problem, Rule


def check(context: Context) -> Iterator[Problem]:
    first_by_metric: dict[str, Topic] = {}
    for name, topic in context.topology.topics.items():
        first = first_by_metric.setdefault(name.replace(".", "_"), topic)
        if first is not topic:
            yield Problem(
                f"{name} collides with {first.name}: Kafka treats `.` and `_` as the same and refuses the second;"
                " expected names that differ in more than that",
                topic.place(),
                name,
                "rename one of the two before it is created",
                (Related(first.location, f"{first.name} is here"),),
            )


RULE = Rule(
    id="KT009",
    name="colliding-names",
    severity=Severity.ERROR,
    summary="Two topics whose names differ only in `.` and `_`.",
    why="""\
Metric names turn every `.` into `_`, so both topics would report under one name. Kafka refuses to create the second
one.""",
    fix="Use either `.` or `_` in topic names, not both.",
    check=check,
    good=(
        """\
version: 1
topics:
  shop.orders: {partitions: 6, replication: 3}
  shop.payments: {partitions: 6, replication: 3}
""",
    ),
    bad=(
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
    ),
)
