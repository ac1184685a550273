from __future__ import annotations

from collections.abc import Iterator

from ...topology.findings import Severity
from ..client_roles import Reader
from ..helpers import place_of
from ..rule import Bad, Context, Problem, Rule

_EAGER = ("range", "roundrobin", "sticky")
_COOPERATIVE = "org.apache.kafka.clients.consumer.CooperativeStickyAssignor"


def check(context: Context) -> Iterator[Problem]:
    for reader in context.index.clients.groups:
        if reader.is_standalone or reader.protocol != "classic" or _nothing_to_share(context, reader):
            continue
        eager = next((name for name in reader.assignors if name in _EAGER), None)
        strategy = reader.setting("partition.assignment.strategy") if eager is not None else None
        if strategy is None:
            continue
        default = "" if strategy.is_declared else " (Kafka's default)"
        protocol = "group.protocol to consumer, or " if context.topology.cluster.kafka.startswith("4.") else ""
        yield Problem(
            f"{reader.name}: partition.assignment.strategy has the eager assignor {eager}{default}, so every rebalance"
            " stops all members; expected cooperative-sticky",
            place_of(strategy, reader.declared),
            reader.name,
            f"set {protocol}partition.assignment.strategy to {_COOPERATIVE} alone",
        )


def _nothing_to_share(context: Context, reader: Reader) -> bool:
    """One member, or one partition: whatever the assignor, a rebalance stops the one who works."""
    if reader.group is not None and reader.group.members == 1:
        return True
    topics = context.topology.topics
    return all(name in topics for name in reader.topics) and sum(topics[n].partitions for n in reader.topics) == 1


RULE = Rule(
    id="KT509",
    name="eager-assignor",
    severity=Severity.WARNING,
    summary="A group uses an assignor that stops the world at every rebalance.",
    why="""\
With an eager assignor (range, round robin, sticky), every member gives up all its partitions before they are dealt out
anew, so one restart stops the whole group. The cooperative-sticky assignor, and the group protocol of Kafka 4
(`group.protocol: consumer`), move only the partitions that must move. Kafka's default names range first and
cooperative-sticky second: as long as one eager assignor is in the list, the group is eager.""",
    fix="""\
Use `group.protocol: consumer`, or the cooperative-sticky assignor alone. A running group changes over in two rolling
restarts: first both assignors, then the new one alone.""",
    requirements=("R24",),
    check=check,
    good=(
        """\
version: 1
topics:
  orders: {partitions: 6, replication: 3}
consumerGroups:
  billing:
    topics: [orders]
    config: {partition.assignment.strategy: org.apache.kafka.clients.consumer.CooperativeStickyAssignor}
  audit: {topics: [orders], config: {group.protocol: consumer}}
  single: {topics: [orders], members: 1}
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
    config:
      partition.assignment.strategy: org.apache.kafka.clients.consumer.RoundRobinAssignor
""",
            line=8,
            column=38,
        ),
        Bad(
            """\
version: 1
topics:
  orders: {partitions: 6, replication: 3}
consumerGroups:
  billing:
    topics: [orders]
""",
            line=5,
            column=3,
        ),
    ),
)
