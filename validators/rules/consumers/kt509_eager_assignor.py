from __future__ import annotations

from collections.abc import Iterator

from kafka_topology.topology.model.findings import Severity
from kafka_topology.validators.engine.examples import BILLING, ORDERS
from kafka_topology.validators.engine.helpers import problem_with
from kafka_topology.validators.engine.rule import Bad, Context, Problem, rule
from kafka_topology.validators.facts.client_roles import Reader

DOCS = """\
# KT509: eager-assignor

A group uses an assignor that stops all members at every rebalance.

With an eager assignor (range, round robin, sticky), every member gives up all its partitions before they are
distributed again, so one restart stops the whole group. The cooperative-sticky assignor, and the Kafka 4 group
protocol (`group.protocol: consumer`), move only the partitions that have to move. Kafka's default lists range first
and cooperative-sticky second: as long as the list contains one eager assignor, the group is eager.

Fix: Use `group.protocol: consumer`, or the cooperative-sticky assignor alone. Migrate a running group in two rolling
restarts: first with both assignors, then with the new one alone.
"""

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
        yield problem_with(
            strategy,
            reader,
            f"partition.assignment.strategy contains the eager assignor {eager}{default}, so every"
            " rebalance stops all members; expected cooperative-sticky",
            f"set {protocol}partition.assignment.strategy to {_COOPERATIVE} alone",
        )


def _nothing_to_share(context: Context, reader: Reader) -> bool:
    """With one member or one partition, a rebalance stops all work under any assignor."""
    if reader.group is not None and reader.group.members == 1:
        return True
    topics = context.topology.topics
    return all(name in topics for name in reader.topics) and sum(topics[n].partitions for n in reader.topics) == 1


GOOD = (
    ORDERS
    + BILLING
    + """\
    config: {partition.assignment.strategy: org.apache.kafka.clients.consumer.CooperativeStickyAssignor}
  audit: {topics: [orders], config: {group.protocol: consumer}}
  single: {topics: [orders], members: 1}
""",
)
BAD = (
    Bad(
        ORDERS
        + BILLING
        + """\
    config:
      partition.assignment.strategy: org.apache.kafka.clients.consumer.RoundRobinAssignor
""",
        line=8,
        column=38,
    ),
    Bad(ORDERS + BILLING, line=5, column=3),
)

RULE = rule(DOCS, Severity.WARNING, check, GOOD, BAD, requirements=("R24",))
