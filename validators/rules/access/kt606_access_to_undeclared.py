from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator

from kafka_topology.topology.model.declared import Acl, Topology
from kafka_topology.topology.model.findings import Severity
from kafka_topology.topology.model.words import nearest
from kafka_topology.validators.engine.examples import OWNED_TOPICS, SHOP_ORDERS, changed
from kafka_topology.validators.engine.rule import Bad, Context, Problem, rule
from kafka_topology.validators.facts.access import resource_place, shown

DOCS = """\
# KT606: access-to-undeclared

An ACL names a topic, group or transactional id that the topology does not declare.

Kafka accepts an ACL for any name, even a misspelled one or one that no longer exists: nobody gets the intended access,
or someone gets access to whatever is created under that name one day. The rule skips names outside the declared
ownership, which may belong to others.

Fix: Correct the name, declare the resource, or remove the entry.
"""


def check(context: Context) -> Iterator[Problem]:
    topology = context.topology
    if not topology.acls:
        return
    declared = {kind: _Names(names) for kind, names in _declared(topology).items()}
    owned = {"topic": topology.ownership.topics, "group": topology.ownership.groups}
    for acl in topology.acls:
        names = declared.get(acl.resource)
        if names is None or acl.name == "*" or names.have(acl):
            continue
        prefixes = owned.get(acl.resource)
        if prefixes is not None and not acl.name.startswith(prefixes):
            continue  # it belongs to others
        near = nearest(acl.name, names.sorted, likeness=0.75) if acl.pattern == "literal" else None
        what = shown(acl.resource, acl.name, acl.pattern)
        yield Problem(
            f"{acl.name}: {acl.principal} gets access to {what}, but nothing with that name is declared; expected a"
            " declared name",
            resource_place(acl),
            acl.principal,
            f"did you mean {near}?" if near else "declare it, or remove the entry",
        )


def _declared(topology: Topology) -> dict[str, set[str]]:
    """Declared names, by resource. A streams application has a group, topics and transactional ids."""
    applications = topology.streams
    producers = topology.producers.values()
    return {
        "topic": {*topology.topics, *(f"{name}-" for name in applications)},
        "group": {*topology.consumer_groups, *applications},
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

    def have(self, acl: Acl) -> bool:
        position = bisect_left(self.sorted, acl.name)
        first = self.sorted[position] if position < len(self.sorted) else ""
        if first == acl.name or acl.name.startswith(self._prefixes):
            return True
        return acl.pattern == "prefixed" and first.startswith(acl.name)


EXAMPLE = SHOP_ORDERS + 'acls:\n  - {principal: "User:audit", topic: shop.order, operations: [Describe]}\n'

GOOD = (
    OWNED_TOPICS
    + """\
topics:
  shop.orders: {partitions: 6, replication: 3}
acls:
  - {principal: "User:audit", topic: shop.orders, operations: [Describe]}
  - {principal: "User:audit", topic: finance.invoices, operations: [Describe]}
""",
)
BAD = (
    Bad(EXAMPLE, line=5, column=38),
    Bad(changed(EXAMPLE, {"topic: shop.order": "topic: store., pattern: prefixed"}), line=5, column=38),
)

RULE = rule(DOCS, Severity.WARNING, check, GOOD, BAD, requirements=("R33",))
