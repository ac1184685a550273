from __future__ import annotations

from collections.abc import Iterator

from kafka_topology.topology.model.findings import Severity
from kafka_topology.validators.engine.examples import ORDERS, RETURNS, changed
from kafka_topology.validators.engine.rule import Bad, Context, Option, Problem, rule

DOCS = """\
# KT508: group-reads-many-topics

One consumer group subscribes to several topics.

A group rebalances as a whole: when a member joins or leaves, or one topic gets partitions, all its topics are
affected. One slow or faulty topic delays the others, lag cannot be limited for each topic, and you can only scale or
reset the group as a whole. One topic per group is the usual advice. The rule skips Kafka Streams, which
joins topics.

Fix: Split the group by topic. If records of several topics must be read together, raise `max` and say why.
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


EXAMPLE = ORDERS + RETURNS + "consumerGroups:\n  billing: {topics: [orders, returns]}\nrules:\n  KT508: {max: 2}\n"

OPTIONS = (Option("max", 1, "The most topics that one group may read."),)
GOOD = (ORDERS + RETURNS + "consumerGroups:\n  billing: {topics: [orders]}\n  refunds: {topics: [returns]}\n", EXAMPLE)
BAD = (Bad(changed(EXAMPLE, {"rules:\n  KT508: {max: 2}\n": ""}), line=6, column=21),)

RULE = rule(DOCS, Severity.WARNING, check, GOOD, BAD, options=OPTIONS, requirements=("R25",), judges_parts=True)
