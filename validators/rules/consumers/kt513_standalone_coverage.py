from __future__ import annotations

from collections.abc import Iterator

from kafka_topology.topology.model.declared import ConsumerGroup, Topic
from kafka_topology.topology.model.findings import Related, Severity
from kafka_topology.validators.engine.examples import changed
from kafka_topology.validators.engine.rule import Bad, Context, Problem, rule
from kafka_topology.validators.facts.assignments import listed, teams

DOCS = """\
# KT513: standalone-coverage

Standalone consumers miss partitions, take one twice, or name one that does not exist.

A consumer that assigns partitions itself has no group to distribute them. A partition that nobody lists is never read,
one that two consumers list is processed twice, and one that does not exist makes the consumer wait forever. Standalone
consumers with the same principal and owner count as one application in which each takes a part; a consumer that covers
the topic alone counts by itself.

Fix: List every partition of the topic exactly once.
"""


def check(context: Context) -> Iterator[Problem]:
    topics = context.topology.topics
    for group in context.topology.consumer_groups.values():
        for name in group.assign:
            if name in topics:
                yield from _missing(group, topics[name])
    if context.is_part:
        return  # it is unknown who shares a topic with whom
    for name, team in teams(context.topology):
        yield from _overlaps(name, team)
        yield from _left_out(topics[name], team)


def _missing(group: ConsumerGroup, topic: Topic) -> Iterator[Problem]:
    for index, partition in enumerate(group.assign[topic.name]):
        if partition >= topic.partitions:
            yield Problem(
                f"{group.name}: it takes partition {partition} of {topic.name}, which has {topic.partitions};"
                f" expected 0 to {topic.partitions - 1}",
                group.place("assign", topic.name, index),
                group.name,
                f"remove partition {partition}, or raise the partitions of {topic.name}",
            )


def _overlaps(topic: str, team: tuple[ConsumerGroup, ...]) -> Iterator[Problem]:
    taken: dict[int, tuple[ConsumerGroup, int]] = {}
    for group in team:
        for index, partition in enumerate(group.assign[topic]):
            other, at = taken.setdefault(partition, (group, index))
            if (other, at) != (group, index):
                yield Problem(
                    f"{group.name}: partition {partition} of {topic} is already taken by {other.name}; expected one"
                    " consumer",
                    group.place("assign", topic, index),
                    group.name,
                    "assign each partition to one consumer",
                    related=(Related(other.place("assign", topic, at).location, "taken here"),),
                )


def _left_out(topic: Topic, team: tuple[ConsumerGroup, ...]) -> Iterator[Problem]:
    missing = set(range(topic.partitions)).difference(*(group.assign[topic.name] for group in team))
    if missing:
        who = " and ".join(group.name for group in team)
        yield Problem(
            f"{who}: nobody reads partition {listed(missing)} of {topic.name}; expected all {topic.partitions}",
            team[-1].place("assign", topic.name),
            team[-1].name,
            f"assign partition {listed(missing)} of {topic.name}",
        )


EXAMPLE = """\
version: 1
topics:
  orders: {partitions: 4, replication: 3}
consumerGroups:
  loader: {assign: {orders: [0, 1, 2]}}
"""

GOOD = (
    """\
version: 1
topics:
  orders: {partitions: 4, replication: 3}
consumerGroups:
  loader-0: {principal: "User:loader", assign: {orders: [0, 1]}}
  loader-1: {principal: "User:loader", assign: {orders: [2, 3]}}
  audit: {principal: "User:loader", assign: {orders: [0, 1, 2, 3]}}
""",
)
BAD = (
    Bad(EXAMPLE, line=5, column=29, needs_whole=True),
    Bad(changed(EXAMPLE, {"[0, 1, 2]": "[0, 1, 2, 3, 4]"}), line=5, column=42),
    Bad(
        """\
version: 1
topics:
  orders: {partitions: 4, replication: 3}
consumerGroups:
  loader-0: {assign: {orders: [0, 1, 2]}}
  loader-1: {assign: {orders: [2, 3]}}
""",
        line=6,
        column=32,
        needs_whole=True,
    ),
)

RULE = rule(DOCS, Severity.ERROR, check, GOOD, BAD, requirements=("R26",), judges_parts=True)
