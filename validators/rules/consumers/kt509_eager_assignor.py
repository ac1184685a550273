from __future__ import annotations

from collections.abc import Iterator

from kafka_topology.topology.kafka.clients.assignors import COOPERATIVE, change_over
from kafka_topology.topology.model.findings import Severity
from kafka_topology.validators.engine.examples import BILLING, ORDERS
from kafka_topology.validators.engine.helpers import problem_with
from kafka_topology.validators.engine.in_library import own_library, to_set
from kafka_topology.validators.engine.rule import Bad, Context, Problem, rule
from kafka_topology.validators.facts.client_roles import Reader

DOCS = """\
# KT509: eager-assignor

A group uses an assignor that stops all members at every rebalance.

With an eager assignor (range, round robin, sticky), every member gives up all its partitions before they are
distributed again, so one restart stops the whole group. The cooperative-sticky assignor, and the Kafka 4 group
protocol (`group.protocol: consumer`), move only the partitions that have to move. Kafka's default lists range first
and cooperative-sticky second: as long as the list contains one eager assignor, the group is eager. A share group has no
assignor.

Fix: Use `group.protocol: consumer`, or the cooperative-sticky assignor alone. A running group with Kafka's default
list, which contains cooperative-sticky already, changes over in one rolling restart. One without it needs two: first
with both assignors, then with the new one alone. librdkafka and kafka-python refuse to offer both, so all members have
to stop. aiokafka, kafka-go and KafkaJS have no cooperative assignor: that is advice.
"""

_EAGER = ("range", "roundrobin", "sticky")
KEY = "partition.assignment.strategy"


def check(context: Context) -> Iterator[Problem]:
    for reader in context.index.clients.groups:
        if reader.is_standalone or reader.protocol != "classic" or _nothing_to_share(context, reader):
            continue
        eager = next((name for name in reader.assignors if name in _EAGER), None)
        strategy = reader.setting(KEY) if eager is not None else None
        if strategy is None:
            continue
        library = own_library(reader.declared)
        has_none = library is not None and not library.can_say("consumer", KEY, COOPERATIVE)
        default = "" if strategy.is_declared else f" ({strategy.default_of}'s default)"
        yield problem_with(
            strategy,
            reader,
            f"{KEY} contains the eager assignor {eager}{default}, so every"
            " rebalance stops all members; expected cooperative-sticky",
            _fix(context, reader),
            severity=Severity.ADVICE if has_none else None,
        )


def _fix(context: Context, reader: Reader) -> str:
    library = own_library(reader.declared)
    if library is not None and not library.can_say("consumer", KEY, COOPERATIVE):
        return f"{library.title} has no cooperative assignor; use a client that has one, or accept the pauses"
    alone = to_set(reader.declared, KEY, COOPERATIVE, " alone")
    has_protocol = library is None or library.can_say("consumer", "group.protocol", "consumer")
    is_new = has_protocol and context.topology.cluster.kafka.startswith("4.")
    protocol = f"{to_set(reader.declared, 'group.protocol', 'consumer')}, or " if is_new else ""
    restarts = change_over("cooperative-sticky" in reader.assignors, library is None or library.mixes_assignors)
    return f"{protocol}{alone}: {restarts}"


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
  indexer: {topics: [orders], library: franz-go}
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
    Bad(ORDERS + BILLING + "    library: kafka-python\n", line=5, column=3),
    Bad(ORDERS + BILLING + "    library: kafkajs\n", line=5, column=3),
)

RULE = rule(DOCS, Severity.WARNING, check, GOOD, BAD, requirements=("R24",))
