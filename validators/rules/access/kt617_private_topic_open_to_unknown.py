from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

from kafka_topology.topology.kafka.authorizer import ANYONE, ANYTHING, ONLY_LOOKS, reaches
from kafka_topology.topology.model.declared import Acl
from kafka_topology.topology.model.findings import Severity, excess
from kafka_topology.topology.model.places import Place
from kafka_topology.topology.model.words import counted
from kafka_topology.validators.engine.examples import changed
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
# KT617: private-topic-open-to-unknown

Somebody whose owner is not declared uses a private topic.

A private topic is for its owner and the teams in its `sharedWith`. A producer, group, share group, streams application
or ACL without a known owner may be anybody's, so nobody can tell whether the topic is still private. It counts as
*not* the owner. The owner of a principal is that of the roles that use it; without such a role, a principal with the
name of one of these teams belongs to it. KT601 reports users with another owner.

Fix: Declare `owner` on the producer, group or streams application. For an ACL, declare the role that uses its
principal, with its owner. Or set `visibility: public`.
"""

Owners = Mapping[str, frozenset[str]]


def check(context: Context) -> Iterator[Problem]:
    private = private_topics(context.topology)
    if not private:
        return
    owners = owners_of_principals(context.topology)
    for client in context.index.clients.all:
        if client.declared.owner is not None:
            continue  # KT601 compares them
        known = frozenset[str]().union(*(owners.get(each, ()) for each in client.declared.principals))
        for name in client.topics:
            if name in private and known.isdisjoint(private[name]):
                yield _problem(name, private[name], client.name, known, at=client.topic_place(name), use=use_of(client))
    for acl in context.topology.acls:
        yield from _acl(acl, private, owners)


def _acl(acl: Acl, private: Mapping[str, tuple[str, ...]], owners: Owners) -> Iterator[Problem]:
    if acl.resource != "topic" or acl.permission != "allow" or ONLY_LOOKS.issuperset(acl.operations):
        return
    if matches_nobody(acl):
        return  # KT621 reports it
    if acl.principal == ANYONE or acl.name == ANYTHING or acl.principal in owners:
        return  # KT602 reports wildcards; KT601 and KT611 compare owners
    named_after = acl.principal.partition(":")[2]
    reached = [
        name for name, allowed in private.items() if named_after not in allowed and reaches(acl.pattern, acl.name, name)
    ]
    if reached:
        more = f" ({counted(len(reached) - 1, 'other private topic')} too)" if len(reached) > 1 else ""
        use = f"gets {granted(acl)}{more}"
        found = _problem(reached[0], private[reached[0]], acl.principal, frozenset(), at=resource_place(acl), use=use)
        # Reviews take an entry that gives the same on fewer topics than before as the same.
        evidence = {"principal": acl.principal, "operations": ", ".join(acl.operations), **excess(len(reached))}
        yield replace(found, evidence=evidence)


def _problem(topic: str, allowed: tuple[str, ...], who: str, known: frozenset[str], *, at: Place, use: str) -> Problem:
    whose = f"whose principal belongs to {', '.join(sorted(known))}" if known else "whose owner is not declared"
    is_principal = ":" in who  # an ACL has no owner of its own
    missing = f"a role of {who} with its owner" if is_principal else f"the owner of {who}"
    return Problem(
        f"{topic}: it is private to {' and '.join(allowed)}, but {who}, {whose}, {use}; expected only them",
        at,
        topic,
        f"declare {missing}, or make {topic} public",
    )


EXAMPLE = """\
version: 1
topics:
  carts: {owner: checkout, partitions: 6, replication: 3}
consumerGroups:
  cleaning: {owner: checkout, principal: "User:cleaning", topics: [carts]}
"""

GOOD = (
    EXAMPLE,
    EXAMPLE + 'acls:\n  - {principal: "User:cleaning", topic: carts, operations: [Write]}\n',
    EXAMPLE + 'acls:\n  - {principal: "User:checkout", topic: car, pattern: prefixed, operations: [Write]}\n',
    changed(EXAMPLE, {"checkout, partitions": "checkout, sharedWith: [data], partitions"})
    + 'acls:\n  - {principal: "User:data", topic: carts, operations: [Write]}\n',
    EXAMPLE + 'acls:\n  - {principal: "User:monitor", topic: carts, operations: [Describe]}\n',
    EXAMPLE + 'acls:\n  - {principal: "User:audit", topic: carts, operations: [Read], host: 10.0.0.0/8}\n',
)
BAD = (
    Bad(changed(EXAMPLE, {"owner: checkout, principal": "principal"}), line=5, column=51),
    Bad(
        changed(EXAMPLE, {"consumerGroups": "shareGroups", "owner: checkout, principal": "principal"}),
        line=5,
        column=51,
    ),
    Bad(
        EXAMPLE + 'acls:\n  - {principal: "User:audit", topic: carts, operations: [Read]}\n',
        line=7,
        column=38,
    ),
    Bad(
        EXAMPLE + 'acls:\n  - {principal: "User:audit", topic: ca, pattern: prefixed, operations: [Read]}\n',
        line=7,
        column=38,
    ),
)

RULE = rule(DOCS, Severity.WARNING, check, GOOD, BAD, requirements=("R15", "R33"))
