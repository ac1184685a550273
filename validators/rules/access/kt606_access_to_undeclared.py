from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator

from kafka_topology.topology.model.declared import Acl, Topology
from kafka_topology.topology.model.findings import Severity
from kafka_topology.topology.model.words import meant, nearest
from kafka_topology.validators.engine.examples import OWNED_TOPICS, SHOP_ORDERS, changed
from kafka_topology.validators.engine.rule import Bad, Context, Problem, rule
from kafka_topology.validators.facts.access import granted, names_no_topic, resource_place
from kafka_topology.validators.facts.topic_purposes import purpose_of

DOCS = """\
# KT606: access-to-undeclared

An ACL names a topic, group or transactional id that the topology does not declare.

Kafka accepts an ACL for any name, even a misspelled one or one that no longer exists: nobody gets the intended access,
or someone gets access to whatever is created under that name one day. The rule skips names outside the declared
ownership, which may belong to others. A prefix may be the space of a tenant, who creates topics and groups below it
without declaring them here: the rule skips it if the principal has the same name (`User:acme` and `acme.`), or may
create topics with that prefix, and only advises otherwise, unless it is a near miss of a declared name. It also skips
the group of a principal that writes the topics of a Connect cluster: the workers of Connect form a group of their own,
which nobody declares.

Fix: Correct the name, declare the resource, or remove the entry.
"""


def check(context: Context) -> Iterator[Problem]:
    topology = context.topology
    if not topology.acls:
        return
    declared = {kind: _Names(names) for kind, names in _declared(topology).items()}
    workers, creators = _workers(topology), _creators(topology)
    owned = {"topic": topology.ownership.topics, "group": topology.ownership.groups}
    for acl in topology.acls:
        names = declared.get(acl.resource)
        if names is None or acl.name == "*" or names_no_topic(acl) or names.have(acl):
            continue
        prefixes = owned.get(acl.resource)
        if prefixes is not None and not acl.name.startswith(prefixes):
            continue  # it belongs to others
        if acl.resource == "group" and acl.principal in workers:
            continue  # the group of the workers
        near = names.near(acl)
        prefixed = acl.pattern == "prefixed"
        if prefixed and (_is_tenants_own(acl) or (near is None and (acl.principal, acl.name) in creators)):
            continue
        yield Problem(
            f"{acl.name}: {acl.principal} gets {granted(acl)}, but nothing with that name is declared; expected a"
            " declared name",
            resource_place(acl),
            acl.principal,
            f"did you mean {near}?" if near else "declare it, or remove the entry",
            severity=Severity.ADVICE if prefixed and near is None else None,
        )


def _workers(topology: Topology) -> frozenset[str]:
    """The principals that write the state of a Connect cluster."""
    return frozenset(
        principal
        for producer in topology.producers.values()
        if any(purpose_of(topic) == "state of a tool" for topic in producer.topics)
        for principal in producer.principals
    )


def _creators(topology: Topology) -> frozenset[tuple[str, str]]:
    """Principals with a prefix below which they create topics themselves."""
    return frozenset(
        (acl.principal, acl.name)
        for acl in topology.acls
        if acl.resource == "topic" and acl.pattern == "prefixed" and acl.permission == "allow"
        if not {"Create", "All"}.isdisjoint(acl.operations)
    )


def _is_tenants_own(acl: Acl) -> bool:
    """Whether the principal has the name of the prefix: `User:acme`, `User:acme-app` and `acme.`."""
    stem = re.escape(acl.name.rstrip("._-").lower())
    return bool(stem) and re.search(rf"(?<![a-z0-9]){stem}(?![a-z0-9])", acl.principal.lower()) is not None


def _declared(topology: Topology) -> dict[str, set[str]]:
    """Declared names, by resource. A streams application has a group, topics and transactional ids."""
    applications = topology.streams
    producers = topology.producers.values()
    return {
        "topic": {*topology.topics, *(f"{name}-" for name in applications)},
        "group": {*topology.consumer_groups, *topology.share_groups, *applications},
        "transactional-id": {
            *(producer.transactional_id for producer in producers if producer.transactional_id is not None),
            *(f"{name}-" for name in applications),
        },
    }


class _Names:
    """Declared names. One that ends in - stands for all names that start with it."""

    def __init__(self, names: set[str]) -> None:
        self.sorted = sorted(names)
        self._prefixes = tuple(name for name in names if name.endswith("-"))

    def near(self, acl: Acl) -> str | None:
        """The declared name that was probably meant. For a prefix, as many characters of it as the prefix has."""
        if acl.pattern == "literal":
            return nearest(acl.name, self.sorted, likeness=0.75)
        return meant(acl.name, dict.fromkeys(name[: len(acl.name)] for name in self.sorted))

    def have(self, acl: Acl) -> bool:
        position = bisect_left(self.sorted, acl.name)
        first = self.sorted[position] if position < len(self.sorted) else ""
        if first == acl.name or acl.name.startswith(self._prefixes):
            return True
        return acl.pattern == "prefixed" and first.startswith(acl.name)


EXAMPLE = SHOP_ORDERS + 'acls:\n  - {principal: "User:audit", topic: shop.order, operations: [Describe]}\n'

GOOD = (
    changed(EXAMPLE, {"shop.order,": '"shop.*",'}),  # KT621 reports it
    OWNED_TOPICS
    + """\
topics:
  shop.orders: {partitions: 6, replication: 3}
acls:
  - {principal: "User:audit", topic: shop.orders, operations: [Describe]}
  - {principal: "User:audit", topic: finance.invoices, operations: [Describe]}
""",
    SHOP_ORDERS
    + """\
acls:
  - {principal: "User:acme", topic: acme., pattern: prefixed, operations: [Create, Read, Write]}
  - {principal: "User:acme", group: acme., pattern: prefixed, operations: [Read]}
""",
    """\
version: 1
topics:
  connect-status: {partitions: 5, replication: 3}
producers:
  workers: {principal: "User:connect", topics: [connect-status]}
acls:
  - {principal: "User:connect", group: connect-cluster, operations: [Read]}
""",
)
BAD = (
    Bad(EXAMPLE, line=5, column=38),
    Bad(changed(EXAMPLE, {"topic: shop.order": "topic: store., pattern: prefixed"}), line=5, column=38),
    Bad(changed(EXAMPLE, {"topic: shop.order": "topic: shpo., pattern: prefixed"}), line=5, column=38),
)

RULE = rule(DOCS, Severity.WARNING, check, GOOD, BAD, requirements=("R33",))
