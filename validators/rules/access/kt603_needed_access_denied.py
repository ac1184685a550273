from __future__ import annotations

from collections.abc import Iterator

from ...topology.access import Grant
from ...topology.findings import Related, Severity
from ..access import denies, grants_of, shown
from ..rule import Bad, Context, Problem, Rule


def check(context: Context) -> Iterator[Problem]:
    principals = {acl.principal for acl in context.topology.acls if acl.permission == "deny"}
    if not principals:
        return
    grants = grants_of(context.topology, principals)
    needed: dict[str, list[Grant]] = {}
    for grant in grants:
        if grant.permission == "allow" and grant.is_derived:
            needed.setdefault(grant.resource, []).append(grant)
    for deny in (grant for grant in grants if grant.permission == "deny"):
        shadowed = next((grant for grant in needed.get(deny.resource, ()) if denies(deny, grant)), None)
        if shadowed is None:
            continue
        reason = next(reason for reason in shadowed.reasons if not reason.declared)
        yield Problem(
            f"{deny.name}: {deny.operation} on {shown(deny.resource, deny.name, deny.pattern)} is denied to"
            f" {deny.principal}, but {shadowed.principal} needs it: {reason.text}; expected no such denial",
            deny.place,
            deny.name,
            "narrow the denial to other principals, operations or names, or remove the role that needs it",
            related=(Related(reason.place.location, reason.text),),
        )


RULE = Rule(
    id="KT603",
    name="needed-access-denied",
    severity=Severity.ERROR,
    summary="An ACL denies what a producer, group or streams application needs.",
    why="""\
A denial always wins, however many entries allow the same. One that is wider than it looks, by a prefix, by `All` or by
`User:*`, stops an application that has every right it asked for.""",
    fix="Narrow the denial.",
    requirements=("R33", "R15"),
    check=check,
    good=(
        """\
version: 1
topics:
  orders: {partitions: 6, replication: 3}
producers:
  checkout: {principal: "User:checkout", topics: [orders]}
acls:
  - {principal: "User:checkout", topic: orders, operations: [Delete], permission: deny}
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
  - {principal: "User:*", topic: ord, pattern: prefixed, operations: [Write], permission: deny}
""",
            line=7,
            column=71,
        ),
        Bad(
            """\
version: 1
topics:
  orders: {partitions: 6, replication: 3}
consumerGroups:
  billing: {principal: "User:billing", topics: [orders]}
acls:
  - {principal: "User:billing", group: billing, operations: [All], permission: deny}
""",
            line=7,
            column=62,
        ),
    ),
)
