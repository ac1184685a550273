from __future__ import annotations

from collections.abc import Iterator

from kafka_topology.topology.model.findings import Related, Severity
from kafka_topology.topology.model.words import named
from kafka_topology.validators.engine.examples import changed
from kafka_topology.validators.engine.rule import Bad, Context, Problem, rule
from kafka_topology.validators.facts.access import owners_of_principals, private_topics
from kafka_topology.validators.facts.client_roles import Reader, Writer
from kafka_topology.validators.facts.clients import Sharer

DOCS = """\
# KT624: principal-of-two-owners

Roles of two owners log in as the same principal.

Access belongs to a principal, not to a role: each of the two teams may do all that the other may. It reads and writes
the other's topics, joins its groups and commits their offsets, and nobody can tell from the brokers' logs who did. If
one of them thereby gets at a private topic that is not shared with it, this is an error; otherwise it is a warning.
Workers that run the connectors of several teams are such a case: give them an owner of their own, and name it in
`sharedWith` of the topics.

Fix: Give each team a principal of its own.
"""

Client = Writer | Reader | Sharer


def check(context: Context) -> Iterator[Problem]:
    shared = {who: of for who, of in owners_of_principals(context.topology).items() if len(of) > 1}
    if not shared:
        return
    private = private_topics(context.topology)
    users: dict[str, list[Client]] = {}
    for client in context.index.clients.all:
        for principal in client.declared.principals:
            if principal in shared and client.declared.owner is not None:
                users.setdefault(principal, []).append(client)
    for principal, clients in users.items():
        first = clients[0]
        other = next((each for each in clients if each.declared.owner != first.declared.owner), None)
        if other is None:
            continue
        opened = _opened(clients, shared[principal], private)
        effect = (
            f"so {opened[1]} may use {opened[0]}, which is private to {named(list(private[opened[0]]))}"
            if opened
            else "so each may do what the other may"
        )
        yield Problem(
            f"{other.name}: its principal {principal} is that of {named(sorted(shared[principal]))}, {effect}; expected"
            " a principal for each owner",
            other.declared.principal_place(principal),
            other.name,
            f"give {other.name} of {other.declared.owner} a principal of its own",
            (Related(first.declared.principal_place(principal).location, f"{first.name} of {first.declared.owner}"),),
            severity=Severity.ERROR if opened else None,
        )


def _opened(
    clients: list[Client], owners: frozenset[str], private: dict[str, tuple[str, ...]]
) -> tuple[str, str] | None:
    """A private topic that one of the clients uses, and an owner who gets at it without being let in."""
    for client in clients:
        for topic in client.topics:
            outside = sorted(owners.difference(private.get(topic, owners)))
            if outside:
                return topic, outside[0]
    return None


EXAMPLE = """\
version: 1
topics:
  carts: {owner: checkout, partitions: 6, replication: 3}
  mails: {owner: marketing, partitions: 6, replication: 3}
consumerGroups:
  cleaning: {owner: checkout, principal: "User:cleaning", topics: [carts]}
  mailing: {owner: marketing, principal: "User:mailing", topics: [mails]}
"""
SHARED = changed(EXAMPLE, {"User:mailing": "User:cleaning"})

GOOD = (EXAMPLE, changed(SHARED, {"owner: marketing, principal": "owner: checkout, principal"}))
BAD = (
    Bad(SHARED, line=7, column=42),
    Bad(
        changed(
            SHARED,
            {
                "checkout, partitions": "checkout, visibility: public, partitions",
                "marketing, partitions": "marketing, visibility: public, partitions",
            },
        ),
        line=7,
        column=42,
    ),
)

RULE = rule(DOCS, Severity.WARNING, check, GOOD, BAD, requirements=("R15", "R33"))
