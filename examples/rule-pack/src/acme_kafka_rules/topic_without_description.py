from __future__ import annotations

from collections.abc import Iterator

from kafka_topology.topology import Severity
from kafka_topology.validators import Bad, Context, Option, Problem, Rule, changed


def check(context: Context) -> Iterator[Problem]:
    shortest = context.number("words")
    for topic in context.topology.topics.values():
        words = len((topic.description or "").split())
        if topic.visibility == "public" and words < shortest:
            yield Problem(
                f"{topic.name}: the description has {words} words; expected at least {shortest}, as others read it",
                topic.place("description"),
                topic.name,
                "describe one record in a sentence",
            )


GOOD = """\
version: 1
topics:
  orders:
    description: One event for each change of an order.
    visibility: public
    partitions: 6
    replication: 3
"""

RULE = Rule(
    id="ACME-1",
    name="public-topic-without-description",
    severity=Severity.WARNING,
    summary="A public topic has no description, or one of only a few words.",
    why="Other teams decide what to read by the description: the records do not explain themselves.",
    fix="Describe one record in a sentence.",
    options=(Option("words", 4, "The fewest words that a description may have."),),
    check=check,
    good=(GOOD,),
    bad=(
        Bad(changed(GOOD, {"One event for each change of an order.": "orders"}), line=4, column=18),
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
