from __future__ import annotations

from collections.abc import Iterator

from ...topology.findings import Severity
from ..rule import Bad, Context, Option, Problem, Rule


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
            "use a group for each topic, or raise the rule's option `max` where topics belong together",
        )


RULE = Rule(
    id="KT508",
    name="group-reads-many-topics",
    severity=Severity.WARNING,
    summary="One consumer group subscribes to several topics.",
    why="""\
A group rebalances as a whole: when one member joins or leaves, or one topic gets partitions, all topics of the group
take part. One slow or poisonous topic holds up the others, lag cannot be bounded for each, and the group can only be
scaled and reset as a whole. One topic per group is the usual advice. Kafka Streams, which joins topics, is
not meant.""",
    fix="Split the group by topic. Where records of several topics must be read together, raise `max` and say why.",
    requirements=("R25",),
    options=(Option("max", 1, "How many topics one group may read."),),
    check=check,
    good=(
        """\
version: 1
topics:
  orders: {partitions: 6, replication: 3}
  returns: {partitions: 6, replication: 3}
consumerGroups:
  billing: {topics: [orders]}
  refunds: {topics: [returns]}
""",
        """\
version: 1
topics:
  orders: {partitions: 6, replication: 3}
  returns: {partitions: 6, replication: 3}
consumerGroups:
  billing: {topics: [orders, returns]}
rules:
  KT508: {max: 2}
""",
    ),
    bad=(
        Bad(
            """\
version: 1
topics:
  orders: {partitions: 6, replication: 3}
  returns: {partitions: 6, replication: 3}
consumerGroups:
  billing: {topics: [orders, returns]}
""",
            line=6,
            column=21,
        ),
    ),
)
