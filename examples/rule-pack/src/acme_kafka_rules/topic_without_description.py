from __future__ import annotations

from collections.abc import Iterator

from kafka_topology.topology import Severity
from kafka_topology.validators import Bad, Context, Option, Problem, Rule


def check(context: Context) -> Iterator[Problem]:
    shortest = context.number("words")
    for topic in context.topology.topics.values():
        words = len((topic.description or "").split())
        if topic.visibility == "public" and words < shortest:
            yield Problem(
                f"{topic.name}: the description has {words} words; expected at least {shortest}, as others read it",
                topic.place("description"),
                topic.name,
                "say in a sentence what one record is",
            )


RULE = Rule(
    id="ACME-1",
    name="public-topic-without-description",
    severity=Severity.WARNING,
    summary="A public topic has no description, or one of a word or two.",
    why="Other teams choose what to read by the description: they cannot ask the records.",
    fix="Say in a sentence what one record is.",
    options=(Option("words", 4, "How many words a description has at least."),),
    check=check,
    good=(
        """\
version: 1
topics:
  orders:
    description: One event for each change of an order.
    visibility: public
    partitions: 6
    replication: 3
""",
    ),
    bad=(
        Bad(
            """\
version: 1
topics:
  orders:
    description: orders
    visibility: public
    partitions: 6
    replication: 3
""",
            line=4,
            column=18,
        ),
        Bad(
            """\
version: 1
topics:
  orders: {visibility: public, partitions: 6, replication: 3}
""",
            line=3,
            column=11,
        ),
    ),
)
