from __future__ import annotations

from collections.abc import Iterator

from ...topology.access import Grant, declared_grants
from ...topology.findings import Severity
from ..access import Allowed, grants_of, shown
from ..rule import Bad, Context, Problem, Rule


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
            why = "follows from a role that is declared"
        elif grant in seen:
            why = "is there twice"
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
    """An entry covers itself, so what is itself wide is only compared where it is not."""
    is_wide = grant.pattern == "prefixed" or grant.name == "*" or grant.operation == "All"
    return not is_wide and wider.covers(grant)


RULE = Rule(
    id="KT605",
    name="redundant-access",
    severity=Severity.ADVICE,
    summary="An ACL allows what is allowed already.",
    why="""\
Producers, consumer groups and streams applications get their access by themselves. An entry under `acls` that says the
same again stays behind when the role is removed, and the access with it.""",
    fix="Remove the entry.",
    requirements=("R33",),
    check=check,
    good=(
        """\
version: 1
topics:
  orders: {partitions: 6, replication: 3}
producers:
  checkout: {principal: "User:checkout", topics: [orders]}
acls:
  - {principal: "User:checkout", topic: orders, operations: [AlterConfigs]}
""",
    ),
    bad=(
        Bad(
            """\
version: 1
topics:
  orders: {partitions: 6, replication: 3}
producers:
  checkout: {principal: "User:checkout", topics: [orders]}
acls:
  - {principal: "User:checkout", topic: orders, operations: [Write]}
""",
            line=7,
            column=62,
        ),
        Bad(
            """\
version: 1
topics:
  shop.orders: {partitions: 6, replication: 3}
acls:
  - {principal: "User:audit", topic: shop., pattern: prefixed, operations: [Read]}
  - {principal: "User:audit", topic: shop.orders, operations: [Read]}
""",
            line=6,
            column=64,
        ),
    ),
)
