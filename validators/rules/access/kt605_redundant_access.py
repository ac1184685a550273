from __future__ import annotations

from collections.abc import Iterator

from kafka_topology.topology.kafka.access import Grant, declared_grants
from kafka_topology.topology.kafka.authorizer import Allowed
from kafka_topology.topology.model.findings import Severity
from kafka_topology.validators.engine.examples import CHECKOUT_ACCESS, ORDERS, SHOP_ORDERS, changed
from kafka_topology.validators.engine.rule import Bad, Context, Problem, rule
from kafka_topology.validators.facts.access import grants_of, shown

DOCS = """\
# KT605: redundant-access

An ACL allows what is already allowed.

Producers, consumer groups and streams applications get their access automatically. An entry under `acls` that repeats
it stays when the role is removed, and so does the access.

Fix: Remove the entry.
"""


def check(context: Context) -> Iterator[Problem]:
    declared = [grant for grant in declared_grants(context.topology) if grant.permission == "allow"]
    if not declared:
        return
    principals = {grant.principal for grant in declared}
    derived = Allowed((g for g in grants_of(context.topology, principals) if g.is_derived), implied=False)
    wider = Allowed(
        (g for g in declared if g.pattern == "prefixed" or g.name == "*" or g.operation == "All"), implied=False
    )
    seen: set[Grant] = set()
    for grant in declared:
        if derived.covers(grant):
            why = "follows from a declared role"
        elif grant in seen:
            why = "is declared twice"
        elif _is_inside_another(grant, wider):
            why = "is part of a wider entry"
        else:
            seen.add(grant)
            continue
        yield Problem(
            f"{grant.name}: {grant.operation} on {shown(grant.resource, grant.name, grant.pattern)} for"
            f" {grant.principal} {why}; expected it once",
            grant.place,
            grant.principal,
            "remove it",
        )


def _is_inside_another(grant: Grant, wider: Allowed) -> bool:
    """An entry covers itself, so a wide entry is never inside another one."""
    is_wide = grant.pattern == "prefixed" or grant.name == "*" or grant.operation == "All"
    return not is_wide and wider.covers(grant)


EXAMPLE = (
    ORDERS + CHECKOUT_ACCESS + 'acls:\n  - {principal: "User:checkout", topic: orders, operations: [AlterConfigs]}\n'
)

GOOD = (EXAMPLE,)
BAD = (
    Bad(changed(EXAMPLE, {"operations: [AlterConfigs]": "operations: [Write]"}), line=7, column=62),
    Bad(
        SHOP_ORDERS
        + """\
acls:
  - {principal: "User:audit", topic: shop., pattern: prefixed, operations: [Read]}
  - {principal: "User:audit", topic: shop.orders, operations: [Read]}
""",
        line=6,
        column=64,
    ),
)

RULE = rule(DOCS, Severity.ADVICE, check, GOOD, BAD, requirements=("R33",))
