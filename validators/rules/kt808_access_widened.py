from __future__ import annotations

from collections.abc import Iterator

from ...topology.access import Grant
from ...topology.findings import Related, Severity
from ..access import Allowed, shown
from ..rule import Bad, Context, Problem, Rule


def check(context: Context) -> Iterator[Problem]:
    changes = context.changes
    before, after = changes.grants
    known, allowed = set(before), Allowed(before)
    widened: dict[tuple[str, str, str, str], list[Grant]] = {}
    for grant in after:
        if grant.permission == "deny" or grant in known or not _was_there(context, grant) or allowed.covers(grant):
            continue
        key = (grant.principal, grant.resource, grant.name, grant.pattern)
        widened.setdefault(key, []).append(grant)
    for (principal, resource, name, pattern), grants in widened.items():
        operations = ", ".join(sorted(grant.operation for grant in grants))
        what = shown(resource, name, pattern)
        yield Problem(
            f"{name}: {principal} gets {operations} on {what}; expected no more than before, unless this is meant",
            grants[0].place,
            name,
            "have it seen by the owner",
        )
    now = set(after)
    for grant in before:
        if grant.permission == "deny" and grant not in now:
            what = shown(grant.resource, grant.name, grant.pattern)
            yield Problem(
                f"{grant.name}: {grant.principal} is no longer denied {grant.operation} on {what}; expected the denial,"
                " unless this is meant",
                changes.section("acls"),
                grant.name,
                "have it seen by the owner",
                related=(Related(grant.place.location, "it was denied here"),),
            )


def _was_there(context: Context, grant: Grant) -> bool:
    """Access to what comes with this very change, and what an application has to its own, widens nothing."""
    before, after = context.changes.before, context.changes.after
    if grant.pattern == "prefixed" or grant.resource == "transactional-id":
        return not grant.is_derived
    if grant.resource == "topic":
        return grant.name in before.topics or grant.name not in after.topics
    if grant.resource == "group":
        return grant.name in before.consumer_groups or grant.name in before.streams or not grant.is_derived
    return True


RULE = Rule(
    id="KT808",
    name="access-widened",
    severity=Severity.WARNING,
    summary="Someone gets access to what was there before.",
    why="""\
Who may read or write a topic follows from producers, groups and ACLs, so a line that looks like wiring also opens a
door. This rule names each principal that gets more than it had on something that already exists, whatever line it
comes from, and each denial that is taken away.""",
    fix="Nothing, if it is meant and the owner has seen it.",
    requirements=("R15", "R33"),
    about_changes=True,
    before="""\
version: 1
topics:
  orders: {partitions: 6, replication: 3}
producers:
  checkout: {principal: "User:checkout", topics: [orders]}
acls:
  - {principal: "User:tester", topic: orders, operations: [Write], permission: deny}
""",
    check=check,
    good=(
        """\
version: 1
topics:
  orders: {partitions: 6, replication: 3}
  returns: {partitions: 6, replication: 3}
producers:
  checkout: {principal: "User:checkout", topics: [orders, returns]}
acls:
  - {principal: "User:tester", topic: orders, operations: [Write], permission: deny}
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
consumerGroups:
  billing: {principal: "User:billing", topics: [orders]}
acls:
  - {principal: "User:tester", topic: orders, operations: [Write], permission: deny}
""",
            line=7,
            column=49,
        ),
        Bad(
            """\
version: 1
topics:
  orders: {partitions: 6, replication: 3}
producers:
  checkout: {principal: "User:checkout", topics: [orders]}
acls:
  - {principal: "User:tester", topic: orders, operations: [Write], permission: deny}
  - {principal: "User:audit", topic: ord, pattern: prefixed, operations: [Read]}
""",
            line=8,
            column=75,
        ),
        Bad(
            """\
version: 1
topics:
  orders: {partitions: 6, replication: 3}
producers:
  checkout: {principal: "User:checkout", topics: [orders]}
acls: []
""",
            line=6,
            column=7,
        ),
    ),
)
