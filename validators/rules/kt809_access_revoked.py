from __future__ import annotations

from collections.abc import Iterator

from ...topology.access import Grant
from ...topology.findings import Related, Severity
from ...topology.places import Place
from ..access import Allowed, roles, shown
from ..rule import Bad, Context, Problem, Rule


def check(context: Context) -> Iterator[Problem]:
    before, now = context.changes.grants
    known, allowed = set(now), Allowed(now)
    lost: dict[tuple[str, str, str, str], list[Grant]] = {}
    for grant in before:
        if grant.permission == "deny" or grant in known or not _is_still_there(context, grant) or allowed.covers(grant):
            continue
        key = (grant.principal, grant.resource, grant.name, grant.pattern)
        lost.setdefault(key, []).append(grant)
    places = {role.principal: role.place() for _, role in reversed([*roles(context.topology)])} if lost else {}
    for (principal, resource, name, pattern), grants in lost.items():
        operations = ", ".join(sorted(grant.operation for grant in grants))
        yield Problem(
            f"{name}: {principal} loses {operations} on {shown(resource, name, pattern)};"
            " expected it to stay while the principal is in use",
            _place(context, grants[0], places.get(principal)),
            name,
            f"make sure that nothing connects as {principal} for this any more",
            related=(Related(grants[0].place.location, "it came from here"),),
        )


def _is_still_there(context: Context, grant: Grant) -> bool:
    """What is removed as a whole is another rule's business, and so is what an application had to its own."""
    before, after = context.changes.before, context.changes.after
    if grant.pattern == "prefixed" or grant.resource == "transactional-id":
        return not grant.is_derived
    if grant.resource == "topic":
        return grant.name in after.topics or grant.name not in before.topics
    if grant.resource == "group":
        return grant.name in after.consumer_groups or grant.name in after.streams or not grant.is_derived
    return True


def _place(context: Context, grant: Grant, role: Place | None) -> Place:
    """The role that is left of the principal, else the section that the access came from."""
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


RULE = Rule(
    id="KT809",
    name="access-revoked",
    severity=Severity.WARNING,
    summary="Someone loses access to what is still there.",
    why="""\
An application that still runs gets an authorization error at its next request, and most do not recover from it. Access
also goes where a producer or group is removed from the file, a topic from its list, or a principal is replaced.""",
    fix="Stop the application first, or let the old and the new principal overlap for one change.",
    requirements=("R15", "R33"),
    about_changes=True,
    before="""\
version: 1
topics:
  orders: {partitions: 6, replication: 3}
  returns: {partitions: 6, replication: 3}
producers:
  checkout: {principal: "User:checkout", topics: [orders, returns]}
acls:
  - {principal: "User:audit", topic: orders, operations: [Read]}
""",
    check=check,
    good=(
        """\
version: 1
topics:
  orders: {partitions: 6, replication: 3}
producers:
  checkout: {principal: "User:checkout", topics: [orders]}
acls:
  - {principal: "User:audit", topic: ord, pattern: prefixed, operations: [Read]}
""",
    ),
    bad=(
        Bad(
            """\
version: 1
topics:
  orders: {partitions: 6, replication: 3}
  returns: {partitions: 6, replication: 3}
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
        Bad(
            """\
version: 1
topics:
  orders: {partitions: 6, replication: 3}
  returns: {partitions: 6, replication: 3}
producers:
  checkout: {principal: "User:checkout", topics: [orders, returns]}
acls:
  - {principal: "User:audit", topic: returns, operations: [Read]}
""",
            line=7,
            column=1,
        ),
    ),
)
