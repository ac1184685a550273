from __future__ import annotations

from collections.abc import Iterator

from kafka_topology.topology.kafka.authorizer import ONLY_LOOKS
from kafka_topology.topology.model.findings import Severity
from kafka_topology.topology.model.places import Place
from kafka_topology.validators.engine.rule import Bad, Context, Problem, rule
from kafka_topology.validators.facts.access import owners_of_principals, resource_place

DOCS = """\
# KT601: private-topic-open-to-others

Another owner uses a private topic.

A private topic belongs to its owner alone: its content and format may change any day. Another team that reads or
writes it depends on something nobody promised, and may see data that was not meant for it. Topics are private by
default. If an owner is not declared, the rule reports nothing.

Fix: Set `visibility: public` (and keep its schema stable), or give the others a public topic.
"""


def check(context: Context) -> Iterator[Problem]:
    topics = context.topology.topics
    private = {t.name: t.owner for t in topics.values() if t.visibility == "private" and t.owner is not None}
    if not private:
        return
    for client in context.index.clients.all:
        owner = client.declared.owner
        if owner is None:
            continue
        for name in client.topics:
            if private.get(name, owner) != owner:
                yield _problem(name, private[name], f"{client.name} of {owner}", client.topic_place(name))
    owners = owners_of_principals(context.topology)
    for acl in context.topology.acls:
        if acl.resource != "topic" or acl.pattern != "literal" or acl.permission != "allow":
            continue
        of = owners.get(acl.principal, frozenset())
        if not of or ONLY_LOOKS.issuperset(acl.operations) or acl.name not in private or private[acl.name] in of:
            continue
        yield _problem(acl.name, private[acl.name], f"{acl.principal} of {', '.join(sorted(of))}", resource_place(acl))


def _problem(topic: str, owner: str, who: str, at: Place) -> Problem:
    return Problem(
        f"{topic}: it is private to {owner}, but {who} may use it; expected only its owner",
        at,
        topic,
        f"make {topic} public, or publish what others need in a separate topic",
    )


GOOD = (
    """\
version: 1
topics:
  orders: {owner: checkout, visibility: public, partitions: 6, replication: 3}
  carts: {owner: checkout, partitions: 6, replication: 3}
consumerGroups:
  billing: {owner: finance, principal: "User:billing", topics: [orders]}
  cleaning: {owner: checkout, principal: "User:checkout", topics: [carts]}
""",
)
BAD = (
    Bad(
        """\
version: 1
topics:
  carts: {owner: checkout, visibility: private, partitions: 6, replication: 3}
consumerGroups:
  billing: {owner: finance, principal: "User:billing", topics: [carts]}
""",
        line=5,
        column=65,
    ),
    Bad(
        """\
version: 1
topics:
  invoices: {owner: finance, visibility: public, partitions: 6, replication: 3}
  carts: {owner: checkout, partitions: 6, replication: 3}
producers:
  billing: {owner: finance, principal: "User:billing", topics: [invoices]}
acls:
  - {principal: "User:billing", topic: carts, operations: [Read]}
""",
        line=8,
        column=40,
    ),
)

RULE = rule(DOCS, Severity.ERROR, check, GOOD, BAD, requirements=("R15",))
