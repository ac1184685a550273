from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from kafka_topology.topology.kafka.access import Grant
from kafka_topology.topology.kafka.authorizer import ANYTHING, compared_host, denies
from kafka_topology.topology.model.findings import Related, Severity
from kafka_topology.validators.engine.examples import CHECKOUT_ACCESS, ORDERS
from kafka_topology.validators.engine.rule import Bad, Context, Problem, rule
from kafka_topology.validators.facts.access import grants_of, shown

DOCS = """\
# KT603: needed-access-denied

An ACL denies access that a producer, group, share group or streams application needs.

A denial always wins, however many entries allow the same. One that is wider than it looks, because of a prefix, `All`
or `User:*`, stops an application that was granted everything it asked for. A denial for one host stops the instances
that run there; if that is a client's host is not declared, so it is a warning.

Fix: Narrow the denial.
"""


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
        if compared_host(deny.host) != deny.host:
            continue  # it denies nothing, which KT621 reports
        everywhere = replace(deny, host=ANYTHING)
        shadowed = next((grant for grant in needed.get(deny.resource, ()) if denies(everywhere, grant)), None)
        if shadowed is None:
            continue
        one_host = deny.host != ANYTHING
        where = f" from {deny.host}" if one_host else ""
        reason = next(reason for reason in shadowed.reasons if not reason.declared)
        yield Problem(
            f"{deny.name}: {deny.operation} on {shown(deny.resource, deny.name, deny.pattern)} is denied to"
            f" {deny.principal}{where}, but {shadowed.principal} needs it: {reason.text}; expected no such denial",
            deny.place,
            deny.name,
            "narrow the denial to other principals, operations or names, or remove the role that needs it",
            related=(Related(reason.place.location, reason.text),),
            severity=Severity.WARNING if one_host else None,
        )


GOOD = (
    ORDERS
    + CHECKOUT_ACCESS
    + """\
acls:
  - {principal: "User:checkout", topic: orders, operations: [Delete], permission: deny}
""",
)
BAD = (
    Bad(
        ORDERS
        + CHECKOUT_ACCESS
        + """\
acls:
  - {principal: "User:*", topic: ord, pattern: prefixed, operations: [Write], permission: deny}
""",
        line=7,
        column=71,
    ),
    Bad(
        ORDERS
        + """\
consumerGroups:
  billing: {principal: "User:billing", topics: [orders]}
acls:
  - {principal: "User:billing", group: billing, operations: [All], permission: deny}
""",
        line=7,
        column=62,
    ),
    Bad(
        ORDERS
        + CHECKOUT_ACCESS
        + """\
acls:
  - {principal: "User:checkout", topic: orders, operations: [Write], permission: deny, host: 10.0.0.1}
""",
        line=7,
        column=62,
    ),
)

RULE = rule(DOCS, Severity.ERROR, check, GOOD, BAD, requirements=("R33", "R15"))
