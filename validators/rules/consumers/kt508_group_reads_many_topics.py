from __future__ import annotations

from collections.abc import Iterator

from kafka_topology.topology.model.findings import Severity
from kafka_topology.validators.engine.examples import ORDERS, RETURNS, changed
from kafka_topology.validators.engine.rule import Bad, Context, Option, Problem, rule

DOCS = """\
# KT508: group-reads-many-topics

One consumer group subscribes to many topics.

A group rebalances as a whole: when a member joins or leaves, or one topic gets partitions, all its topics are
affected. One slow or faulty topic delays the others, lag cannot be limited for each topic, and you can only scale or
reset the group as a whole. One topic per group is the usual advice; two that belong together, such as a topic and its
retries, are common. The rule skips Kafka Streams, which joins topics.

Fix: Split the group by topic. If records of many topics must be read together, raise `max` and say why.
"""


def check(context: Context) -> Iterator[Problem]:
    most = context.number("max")
    for group in context.topology.consumer_groups.values():
        count = len(set(group.topics))
        if count <= most:
            continue
        yield Problem(
            f"{group.name}: one group reads {count} topics; expected at most {most}",
            group.place("topics"),
            group.name,
            "use one group per topic, or raise the rule's option `max` if the topics belong together",
        )


TWO = ORDERS + RETURNS + "consumerGroups:\n  billing: {topics: [orders, returns]}\n"
THREE = changed(
    TWO,
    {RETURNS: RETURNS + "  refunds: {partitions: 6, replication: 3}\n", "orders, returns": "orders, returns, refunds"},
)

OPTIONS = (Option("max", 2, "The most topics that one group may read."),)
GOOD = (TWO, THREE + "rules:\n  KT508: {max: 3}\n")
BAD = (
    Bad(THREE, line=7, column=21),
    Bad(TWO + "rules:\n  KT508: {max: 1}\n", line=6, column=21, needs_whole=True),
)

RULE = rule(DOCS, Severity.WARNING, check, GOOD, BAD, options=OPTIONS, requirements=("R25",), judges_parts=True)
