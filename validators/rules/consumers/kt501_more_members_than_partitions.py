from __future__ import annotations

from collections.abc import Iterator

from ...topology.findings import Severity
from ..rule import Bad, Context, Problem, Rule


def check(context: Context) -> Iterator[Problem]:
    topics = context.topology.topics
    for reader in context.index.clients.groups:
        group = reader.group
        if group is None or group.members is None or not group.topics:
            continue
        counts = [topics[name].partitions for name in group.topics if name in topics]
        if len(counts) < len(group.topics) or group.members <= max(counts):
            continue  # a topic of someone else may have any number of partitions
        by_topic = reader.assignor == "range"
        busy = max(counts) if by_topic else sum(counts)
        if group.members <= busy:
            continue
        where = group.topics[0] if len(counts) == 1 else f"{len(counts)} topics"
        how = " (the range assignor gives each topic to the first members)" if by_topic and len(counts) > 1 else ""
        yield Problem(
            f"{group.name}: {group.members} members read {where}, where the partitions keep {busy} busy{how};"
            f" expected at most {busy}",
            group.place("members"),
            group.name,
            f"run at most {busy} members, or choose more partitions before there is data",
        )


RULE = Rule(
    id="KT501",
    name="more-members-than-partitions",
    severity=Severity.ERROR,
    summary="A group has more members than there are partitions to read.",
    why="""\
Within a group each partition is read by exactly one member. A member beyond the number of partitions gets none: it
costs money, joins every rebalance, and does nothing. Whoever adds members to become faster gets no faster. With the
range assignor, which is Kafka's default, each topic is dealt out by itself from the first member on, so the topic with
the most partitions is the limit; other assignors deal out all partitions together.""",
    fix="Run as many members as there are partitions, or fewer; or raise the partitions.",
    requirements=("R5", "R4"),
    check=check,
    good=(
        """\
version: 1
topics:
  orders: {partitions: 6, replication: 3}
consumerGroups:
  billing: {topics: [orders], members: 6}
""",
        """\
version: 1
topics:
  orders: {partitions: 6, replication: 3}
  returns: {partitions: 6, replication: 3}
consumerGroups:
  billing:
    topics: [orders, returns]
    members: 12
    config: {partition.assignment.strategy: org.apache.kafka.clients.consumer.CooperativeStickyAssignor}
""",
    ),
    bad=(
        Bad(
            """\
version: 1
topics:
  orders: {partitions: 6, replication: 3}
consumerGroups:
  billing:
    topics: [orders]
    members: 8
""",
            line=7,
            column=14,
        ),
        Bad(
            """\
version: 1
topics:
  orders: {partitions: 6, replication: 3}
  returns: {partitions: 6, replication: 3}
consumerGroups:
  billing: {topics: [orders, returns], members: 12}
""",
            line=6,
            column=49,
        ),
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
    ),
)
