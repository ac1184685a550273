from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from kafka_topology.topology.kafka.access import Grant, implied_grants
from kafka_topology.topology.model.declared import Client, Declared
from kafka_topology.topology.model.findings import Related, Severity
from kafka_topology.topology.model.kinds import CLIENT_KINDS
from kafka_topology.topology.model.places import Location, Place
from kafka_topology.validators.engine.examples import CHECKOUT_ACCESS, ORDERS, RETURNS, changed
from kafka_topology.validators.engine.rule import Bad, Context, Problem, rule
from kafka_topology.validators.facts.access import kind_reached, reached, roles, shown

DOCS = """\
# KT809: access-revoked

A principal loses access to a resource that still exists.

An application that is still running gets an authorization error at its next request, and most do not recover. Access
is also lost when a producer or group is removed from the file, a topic is removed from its list, or a principal is
replaced.

Fix: Stop the application first, or let the old and the new principal overlap: list both under `principal`, and remove
the old one in a later change.
"""


def check(context: Context) -> Iterator[Problem]:
    lost = context.changes.access_lost
    remaining = reversed([*roles(context.topology)]) if lost else ()
    places = {principal: role.place() for _, role in remaining for principal in role.principals}
    for (principal, resource, name, pattern), grants in lost.items():
        rotated = _rotated(context, grants[0])
        operations = ", ".join(sorted(grant.operation for grant in grants))
        yield Problem(
            f"{name}: {principal} loses {operations} on {shown(resource, name, pattern)}; expected it to stay while"
            " the principal is in use",
            _place(context, grants[0], places.get(principal) if rotated is None else rotated.place("principal")),
            name,
            _fix(principal, rotated),
            related=(Related(grants[0].place.location, "it came from here"),),
            kind=kind_reached(context.topology, resource, name),
            evidence=reached(grants[0], gains=False),
        )


def _rotated(context: Context, grant: Grant) -> Client | None:
    """The role that had the access and now has other principals."""
    before, after = context.changes.before, context.topology
    for kind in CLIENT_KINDS if grant.is_derived else ():
        for name, was in kind.of(before).items():
            now = kind.of(after).get(name)
            if not isinstance(was, Client) or not isinstance(now, Client) or not now.principals:
                continue
            if grant.principal in was.principals and grant.principal not in now.principals:
                alone: dict[str, Any] = {each.attribute: {} for each in CLIENT_KINDS} | {kind.attribute: {name: was}}
                if grant in implied_grants(replace(before, **alone)):
                    return now
    return None


def _fix(principal: str, rotated: Client | None) -> str:
    """Another entry under `acls` would let two principals use one group, which KT512 reports."""
    if rotated is None:
        return f"make sure that nothing connects as {principal} for this any more, or keep its access under `acls`"
    others = ", ".join(rotated.principals)
    return f"make sure that nothing connects as {principal} any more, or list it beside {others} under `principal`"


def _place(context: Context, grant: Grant, role: Place | None) -> Place | Location:
    """The remaining role of the principal, otherwise where the files lost what the access came from."""
    was = grant.place.location
    if not grant.is_derived:
        return context.changes.lost_at("acls", was)
    if role is not None:
        return role
    before = context.changes.before
    sections = (kind.section for kind in CLIENT_KINDS for each in kind.of(before).values() if _is_of(each, grant))
    return context.changes.lost_at(next(sections, "streams"), was)


def _is_of(client: Declared, grant: Grant) -> bool:
    return isinstance(client, Client) and grant.principal in client.principals


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
    Bad(
        ORDERS + 'producers:\n  checkout: {principal: "User:checkout-2", topics: [orders]}\n',
        line=5,
        column=25,
        before=ORDERS + CHECKOUT_ACCESS,
    ),
)

RULE = rule(DOCS, Severity.WARNING, check, GOOD, BAD, before=BEFORE, changed=("access",), requirements=("R15", "R33"))
