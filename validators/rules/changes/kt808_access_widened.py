from __future__ import annotations

from collections.abc import Iterator

from kafka_topology.topology.model.findings import Related, Severity
from kafka_topology.validators.engine.examples import CHECKOUT_ACCESS, ORDERS, RETURNS, changed
from kafka_topology.validators.engine.rule import Bad, Context, Problem, rule
from kafka_topology.validators.facts.access import kind_reached, reached, shown

DOCS = """\
# KT808: access-widened

A principal gets more access to an existing resource.

Access to a topic follows from producers, groups and ACLs, so a line that looks like wiring can also open a door. This
rule reports each principal that gets more access than before to an existing resource, whichever line causes it, and
each denial that is removed.

Fix: Ask the owner to approve the access; if it is intended, there is nothing to change.
"""


def check(context: Context) -> Iterator[Problem]:
    changes = context.changes
    for (principal, resource, name, pattern), grants in changes.access_gained.items():
        operations = ", ".join(sorted(grant.operation for grant in grants))
        what = shown(resource, name, pattern)
        yield Problem(
            f"{name}: {principal} gets {operations} on {what}; expected no more than before, unless this is intended",
            grants[0].place,
            name,
            "ask the owner to approve it",
            kind=kind_reached(context.topology, resource, name),
            evidence=reached(grants[0], gains=True),
        )
    before, after = changes.grants
    now = set(after)
    for grant in before:
        if grant.permission == "deny" and grant not in now:
            what = shown(grant.resource, grant.name, grant.pattern)
            yield Problem(
                f"{grant.name}: {grant.principal} is no longer denied {grant.operation} on {what}; expected the"
                " denial, unless this is intended",
                changes.lost_at("acls", grant.place.location),
                grant.name,
                "ask the owner to approve it",
                related=(Related(grant.place.location, "it was denied here"),),
                kind=kind_reached(context.topology, grant.resource, grant.name),
                evidence=reached(grant, gains=True),
            )


BEFORE = (
    ORDERS
    + CHECKOUT_ACCESS
    + 'acls:\n  - {principal: "User:tester", topic: orders, operations: [Write], permission: deny}\n'
)

GOOD = (changed(BEFORE, {"topics: [orders]": "topics: [orders, returns]", "producers:": RETURNS + "producers:"}),)
BAD = (
    Bad(
        changed(BEFORE, {"acls:": 'consumerGroups:\n  billing: {principal: "User:billing", topics: [orders]}\nacls:'}),
        line=7,
        column=49,
    ),
    Bad(
        BEFORE + '  - {principal: "User:audit", topic: ord, pattern: prefixed, operations: [Read]}\n', line=8, column=75
    ),
    Bad(ORDERS + CHECKOUT_ACCESS + "acls: []\n", line=6, column=7),
)

RULE = rule(DOCS, Severity.WARNING, check, GOOD, BAD, before=BEFORE, changed=("access",), requirements=("R15", "R33"))
