from __future__ import annotations

from collections.abc import Iterator

from kafka_topology.topology.kafka.access import Grant
from kafka_topology.topology.model.findings import Related, Severity
from kafka_topology.topology.model.places import Place
from kafka_topology.validators.engine.examples import CHECKOUT_ACCESS, ORDERS, RETURNS, changed
from kafka_topology.validators.engine.rule import Bad, Context, Problem, rule
from kafka_topology.validators.facts.access import kind_reached, reached, roles, shown

DOCS = """\
# KT809: access-revoked

A principal loses access to a resource that still exists.

An application that is still running gets an authorization error at its next request, and most do not recover. Access
is also lost when a producer or group is removed from the file, a topic is removed from its list, or a principal is
replaced.

Fix: Stop the application first, or let the old and the new principal overlap for one change.
"""


def check(context: Context) -> Iterator[Problem]:
    lost = context.changes.access_lost
    places = {role.principal: role.place() for _, role in reversed([*roles(context.topology)])} if lost else {}
    for (principal, resource, name, pattern), grants in lost.items():
        operations = ", ".join(sorted(grant.operation for grant in grants))
        yield Problem(
            f"{name}: {principal} loses {operations} on {shown(resource, name, pattern)}; expected it to stay while"
            " the principal is in use",
            _place(context, grants[0], places.get(principal)),
            name,
            f"make sure that nothing connects as {principal} for this any more",
            related=(Related(grants[0].place.location, "it came from here"),),
            kind=kind_reached(context.topology, resource, name),
            evidence=reached(grants[0], gains=False),
        )


def _place(context: Context, grant: Grant, role: Place | None) -> Place:
    """The remaining role of the principal, otherwise the section that the access came from."""
    if not grant.is_derived:
        return context.changes.section("acls")
    if role is not None:
        return role
    before = context.changes.before
    if any(producer.principal == grant.principal for producer in before.producers.values()):
        return context.changes.section("producers")
    if any(group.principal == grant.principal for group in before.consumer_groups.values()):
        return context.changes.section("consumerGroups")
    return context.changes.section("streams")


BEFORE = (
    ORDERS
    + RETURNS
    + """\
producers:
  checkout: {principal: "User:checkout", topics: [orders, returns]}
acls:
  - {principal: "User:audit", topic: orders, operations: [Read]}
"""
)

GOOD = (
    ORDERS
    + CHECKOUT_ACCESS
    + 'acls:\n  - {principal: "User:audit", topic: ord, pattern: prefixed, operations: [Read]}\n',
)
BAD = (
    Bad(
        ORDERS
        + RETURNS
        + """\
producers:
  checkout:
    principal: User:checkout
    topics: [orders]
acls:
  - {principal: "User:audit", topic: orders, operations: [Read]}
""",
        line=6,
        column=3,
    ),
    Bad(changed(BEFORE, {"topic: orders": "topic: returns"}), line=7, column=1),
)

RULE = rule(DOCS, Severity.WARNING, check, GOOD, BAD, before=BEFORE, changed=("access",), requirements=("R15", "R33"))
