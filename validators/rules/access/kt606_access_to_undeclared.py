from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator

from ...topology.catalogue import nearest
from ...topology.findings import Severity
from ...topology.model import Acl, Topology
from ..access import resource_place, shown
from ..rule import Bad, Context, Problem, Rule


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
            continue  # someone else's
        near = nearest(acl.name, names.sorted) if acl.pattern == "literal" else None
        what = shown(acl.resource, acl.name, acl.pattern)
        yield Problem(
            f"{acl.name}: {acl.principal} is given access to {what}, and nothing of that name is declared;"
            " expected something declared",
            resource_place(acl),
            acl.principal,
            f"did you mean {near}?" if near else "declare it, or remove the entry",
        )


def _declared(topology: Topology) -> dict[str, set[str]]:
    """What a topology can declare, by kind. A streams application brings a group, topics and transactional ids."""
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
    """Declared names. One that ends in - stands for all that start with it."""

    def __init__(self, names: set[str]) -> None:
        self.sorted = sorted(names)
        self._prefixes = tuple(name for name in names if name.endswith("-"))

    def have(self, acl: Acl) -> bool:
        position = bisect_left(self.sorted, acl.name)
        first = self.sorted[position] if position < len(self.sorted) else ""
        if first == acl.name or acl.name.startswith(self._prefixes):
            return True
        return acl.pattern == "prefixed" and first.startswith(acl.name)


RULE = Rule(
    id="KT606",
    name="access-to-undeclared",
    severity=Severity.WARNING,
    summary="An ACL is about a topic, group or transactional id that the topology does not declare.",
    why="""\
Kafka takes an ACL for any name, also for one that is misspelt or long gone: nobody gets the access that was meant, or
somebody will get it to whatever is created under that name one day. What lies outside the declared ownership may be
someone else's, and is not looked at.""",
    fix="Mend the name, declare the resource, or remove the entry.",
    requirements=("R33",),
    check=check,
    good=(
        """\
version: 1
ownership: {topics: [shop.]}
topics:
  shop.orders: {partitions: 6, replication: 3}
acls:
  - {principal: "User:audit", topic: shop.orders, operations: [Describe]}
  - {principal: "User:audit", topic: finance.invoices, operations: [Describe]}
""",
    ),
    bad=(
        Bad(
            """\
version: 1
topics:
  shop.orders: {partitions: 6, replication: 3}
acls:
  - {principal: "User:audit", topic: shop.order, operations: [Describe]}
""",
            line=5,
            column=38,
        ),
        Bad(
            """\
version: 1
topics:
  shop.orders: {partitions: 6, replication: 3}
acls:
  - {principal: "User:audit", topic: store., pattern: prefixed, operations: [Describe]}
""",
            line=5,
            column=38,
        ),
    ),
)
