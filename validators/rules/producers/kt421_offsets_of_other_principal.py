from __future__ import annotations

from collections.abc import Iterator

from kafka_topology.topology.kafka.access import Grant
from kafka_topology.topology.kafka.authorizer import Allowed
from kafka_topology.topology.model.declared import ConsumerGroup, Producer
from kafka_topology.topology.model.findings import Related, Severity
from kafka_topology.validators.engine.examples import changed
from kafka_topology.validators.engine.rule import Bad, Context, Problem, rule
from kafka_topology.validators.facts.access import grants_of
from kafka_topology.validators.facts.halves import is_half_of

DOCS = """\
# KT421: offsets-of-other-principal

The transactional producer of an exactly-once group has another principal than the group.

A group that processes exactly once commits its offsets in the transaction of its producer. The *producer* sends them,
so the brokers ask whether the producer's principal has Read on the group. A producer gets that access automatically if
it has the group's principal or its name. With another principal, the first commit fails with
GroupAuthorizationException, and nothing is ever processed. The rule pairs a producer and a group by their names:
`ledger` and `bank.ledger`, or a transactional id `bank-ledger-`.

Fix: Give the producer and the group the same principal, or add Read on the group for the producer.
"""


def check(context: Context) -> Iterator[Problem]:
    topology = context.topology
    producers = [
        producer
        for producer in topology.producers.values()
        if producer.principals and producer.transactional_id is not None
    ]
    for group in topology.consumer_groups.values():
        if group.delivery != "exactly-once" or not group.principals:
            continue
        if any(_has_all(group, producer) for producer in producers):
            continue
        writer = next((producer for producer in producers if is_half_of(producer, group)), None)
        principals = writer.principals if writer is not None else ()
        refused = next((each for each in principals if not _may_commit(context, each, group)), None)
        if writer is None or refused is None:
            continue
        belongs = " and ".join(group.principals)
        yield Problem(
            f"{writer.name}: its principal is {refused}, but the group {group.name}, whose offsets it commits"
            f" in transactions, belongs to {belongs}; expected {belongs}",
            writer.principal_place(refused),
            writer.name,
            f"use {belongs} for both, or allow {refused} Read on group {group.name}",
            (Related(group.place("principal").location, f"the principal of {group.name}"),),
        )


def _has_all(group: ConsumerGroup, producer: Producer) -> bool:
    """Whether the producer, as whichever of its principals, has a principal of the group."""
    return set(producer.principals) <= set(group.principals)


def _may_commit(context: Context, principal: str, group: ConsumerGroup) -> bool:
    grants = grants_of(context.topology, {principal})
    return Allowed(grants).covers(Grant(principal, "group", group.name, "Read"))


EXAMPLE = """\
version: 1
topics:
  bank.transfers: {partitions: 6, replication: 3}
  bank.balances: {partitions: 6, replication: 3}
producers:
  ledger:
    principal: User:bank-ledger
    topics: [bank.balances]
    delivery: exactly-once
    transactionalId: bank-ledger-
consumerGroups:
  bank.ledger: {principal: "User:bank-ledger", topics: [bank.transfers], delivery: exactly-once}
"""
OTHER = changed(EXAMPLE, {"    principal: User:bank-ledger": "    principal: User:bank-writer"})

GOOD = (
    EXAMPLE,
    OTHER + 'acls:\n  - {principal: "User:bank-writer", group: bank.ledger, operations: [Read]}\n',
    changed(OTHER, {"  bank.ledger:": "  bank.statements:"}),
)
BAD = (
    Bad(OTHER, line=7, column=16),
    Bad(changed(OTHER, {"  ledger:\n": "  balances-writer:\n"}), line=7, column=16),
)

RULE = rule(DOCS, Severity.WARNING, check, GOOD, BAD, requirements=("R18", "R33"))
