from __future__ import annotations

from collections.abc import Iterator

from kafka_topology.topology.model.findings import Severity, excess
from kafka_topology.validators.engine.examples import BILLING, ORDERS, PACKERS, RETURNS, on_cluster
from kafka_topology.validators.engine.rule import Bad, Context, Problem, rule

DOCS = """\
# KT501: more-members-than-partitions

A group has more members than there are partitions to read.

Within a group, each partition is read by exactly one member. Members beyond the number of partitions get none: they
cost money, join every rebalance and do nothing, so adding them makes the group no faster. With the range assignor,
which is Kafka's default, each topic is distributed separately from the first member on, so the topic with the most
partitions is the limit. Other assignors distribute all partitions together. The members of a share
group share partitions, so the rule skips it.

Fix: Run at most as many members as there are partitions, or raise the partitions.
"""


def check(context: Context) -> Iterator[Problem]:
    topics = context.topology.topics
    for reader in context.index.clients.groups:
        group = reader.group
        if group is None or group.members is None or not group.topics:
            continue
        counts = [topics[name].partitions for name in group.topics if name in topics]
        if len(counts) < len(group.topics) or group.members <= max(counts):
            continue  # topics of others may have any number of partitions
        by_topic = reader.assignor == "range"
        busy = max(counts) if by_topic else sum(counts)
        if group.members <= busy:
            continue
        where = group.topics[0] if len(counts) == 1 else f"{len(counts)} topics"
        how = " (the range assignor gives each topic to the first members)" if by_topic and len(counts) > 1 else ""
        yield Problem(
            f"{group.name}: {group.members} members read {where}, whose partitions keep only {busy} busy{how};"
            f" expected at most {busy}",
            group.place("members"),
            group.name,
            f"run at most {busy} members, or choose more partitions before there is data",
            evidence=excess(group.members - busy),
        )


GOOD = (
    ORDERS + "consumerGroups:\n  billing: {topics: [orders], members: 6}\n",
    on_cluster('kafka: "4.2"', PACKERS + "    members: 20\n"),
    ORDERS
    + RETURNS
    + """\
consumerGroups:
  billing:
    topics: [orders, returns]
    members: 12
    config: {partition.assignment.strategy: org.apache.kafka.clients.consumer.CooperativeStickyAssignor}
""",
)
BAD = (
    Bad(ORDERS + BILLING + "    members: 8\n", line=7, column=14),
    Bad(ORDERS + RETURNS + "consumerGroups:\n  billing: {topics: [orders, returns], members: 12}\n", line=6, column=49),
    Bad(
        """\
version: 1
profiles:
  event: {partitions: 4, replication: 3}
topics:
  orders: {profile: event}
consumerGroups:
  billing: {topics: [orders], members: 5, config: {group.protocol: consumer}}
""",
        line=7,
        column=40,
    ),
)

RULE = rule(DOCS, Severity.ERROR, check, GOOD, BAD, requirements=("R5", "R4"))
