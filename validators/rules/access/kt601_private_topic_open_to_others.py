from __future__ import annotations

from collections.abc import Iterator

from kafka_topology.topology.kafka.authorizer import ONLY_LOOKS
from kafka_topology.topology.model.findings import Severity
from kafka_topology.topology.model.places import Place
from kafka_topology.validators.engine.rule import Bad, Context, Problem, rule
from kafka_topology.validators.facts.access import (
    granted,
    matches_nobody,
    owners_of_principals,
    private_topics,
    resource_place,
    use_of,
)

DOCS = """\
# KT601: private-topic-open-to-others

Another owner uses a private topic.

A private topic belongs to its owner alone: its content and format may change any day. Another team that reads or
writes it depends on something nobody promised, and may see data that was not meant for it. Topics are private by
default. If an owner is not declared, the rule reports nothing.

Some topics have two sides by design: the connector of a data team writes what another team reads, or a gateway reads
the requests of its tenants. Name the other team in `sharedWith` of the topic. The topic stays private for everybody
else, and the file with the topic, which its owner approves, says who was let in. `visibility: public` is more: it
promises a stable name, key and schema to teams you do not know.

Fix: Add the team to `sharedWith` of the topic, set `visibility: public` (and keep its schema stable), or give the
others a public topic.
"""


def check(context: Context) -> Iterator[Problem]:
    private = private_topics(context.topology)
    if not private:
        return
    for client in context.index.clients.all:
        owner = client.declared.owner
        if owner is None:
            continue
        for name in client.topics:
            if owner not in private.get(name, (owner,)):
                yield _problem(
                    name, private[name], f"{client.name} of {owner} {use_of(client)}", client.topic_place(name)
                )
    owners = owners_of_principals(context.topology)
    for acl in context.topology.acls:
        if acl.resource != "topic" or acl.pattern != "literal" or acl.permission != "allow":
            continue
        if matches_nobody(acl):
            continue  # KT621 reports it
        of = owners.get(acl.principal, frozenset())
        allowed = private.get(acl.name)
        if not of or ONLY_LOOKS.issuperset(acl.operations) or allowed is None or not of.isdisjoint(allowed):
            continue
        who = f"{acl.principal} of {', '.join(sorted(of))}"
        yield _problem(acl.name, allowed, f"{who} gets {granted(acl)}", resource_place(acl))


def _problem(topic: str, allowed: tuple[str, ...], who_does_what: str, at: Place) -> Problem:
    return Problem(
        f"{topic}: it is private to {' and '.join(allowed)}, but {who_does_what}; expected only them",
        at,
        topic,
        f"add the team to sharedWith of {topic}, make the topic public, or publish what others need in a separate one",
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
    """\
version: 1
topics:
  carts: {owner: checkout, sharedWith: [data], partitions: 6, replication: 3}
producers:
  carts-connector: {owner: data, principal: "User:connect", topics: [carts]}
acls:
  - {principal: "User:connect", topic: carts, operations: [Read]}
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
    Bad(
        """\
version: 1
topics:
  jobs: {owner: checkout, sharedWith: [data], partitions: 6, replication: 3}
shareGroups:
  workers: {owner: finance, topics: [jobs]}
""",
        line=5,
        column=38,
    ),
)

RULE = rule(DOCS, Severity.ERROR, check, GOOD, BAD, requirements=("R15",))
