from __future__ import annotations

from collections.abc import Iterator, Mapping

from ...topology.findings import Severity
from ...topology.model import Acl
from ..access import ANYONE, grants_of, resource_place
from ..rule import Bad, Context, Problem, Rule

Operations = Mapping[str, set[str]]  # by kind of resource

_READS_WITHOUT_GROUP = (
    "may read it, but may join no group, so it cannot commit; expected Read on a group",
    "declare a consumer group with this principal instead, or add Read on its group",
)
_GROUP_WITHOUT_TOPIC = (
    "may join it, but may read no topic; expected Read on a topic",
    "declare a consumer group with this principal instead, or add Read on its topics",
)
_TRANSACTS_WITHOUT_TOPIC = (
    "may write in transactions, but may write no topic; expected Write on a topic",
    "declare a producer with this principal instead, or add Write on its topics",
)
_WRITES_WITHOUT_TRANSACTION = (
    "may look up the transactional id and write topics, but not use the id; expected Write on it",
    "declare a producer with this transactionalId instead, or add Write",
)


def check(context: Context) -> Iterator[Problem]:
    topology = context.topology
    if not topology.acls:
        return
    principals = {acl.principal for acl in topology.acls if acl.principal != ANYONE}
    granted: dict[str, dict[str, set[str]]] = {}
    for grant in grants_of(topology, principals):
        if grant.permission == "allow":
            granted.setdefault(grant.principal, {}).setdefault(grant.resource, set()).add(grant.operation)
    reported: set[tuple[str, str]] = set()
    for acl in topology.acls:
        if acl.permission != "allow" or acl.principal == ANYONE:
            continue
        lack = _lacks(acl, (granted.get(acl.principal, {}), granted.get(ANYONE, {})))
        if lack is None or (acl.principal, lack[0]) in reported:
            continue
        reported.add((acl.principal, lack[0]))
        yield Problem(f"{acl.name}: {acl.principal} {lack[0]}", resource_place(acl), acl.principal, lack[1])


def _lacks(acl: Acl, granted: tuple[Operations, ...]) -> tuple[str, str] | None:
    def has(resource: str, operation: str) -> bool:
        return any(not {operation, "All"}.isdisjoint(operations.get(resource, ())) for operations in granted)

    here = {*acl.operations}
    if acl.resource == "topic" and "Read" in here and not has("group", "Read"):
        return _READS_WITHOUT_GROUP
    if acl.resource == "group" and not here.isdisjoint({"Read", "All"}) and not has("topic", "Read"):
        return _GROUP_WITHOUT_TOPIC
    if acl.resource == "transactional-id":
        if not here.isdisjoint({"Write", "All"}) and not has("topic", "Write"):
            return _TRANSACTS_WITHOUT_TOPIC
        if "Describe" in here and has("topic", "Write") and not has("transactional-id", "Write"):
            return _WRITES_WITHOUT_TRANSACTION
    return None


RULE = Rule(
    id="KT604",
    name="incomplete-access",
    severity=Severity.ERROR,
    summary="ACLs give a principal a part of what its work needs.",
    why="""\
To consume takes Read on the topic and Read on the group; to write in transactions takes Write on the topic and Write on
the transactional id. (Describe comes with both.) ACLs written by hand often have the one and not the other, and the
application fails at its first commit. A producer, consumer group or streams application in the file gets everything it
needs by itself.""",
    fix="Declare the role instead of its ACLs, or add what is missing.",
    requirements=("R33", "R15"),
    check=check,
    good=(
        """\
version: 1
topics:
  orders: {partitions: 6, replication: 3}
acls:
  - {principal: "User:audit", topic: orders, operations: [Read]}
  - {principal: "User:audit", group: audit-, pattern: prefixed, operations: [Read]}
""",
    ),
    bad=(
        Bad(
            """\
version: 1
topics:
  orders: {partitions: 6, replication: 3}
acls:
  - {principal: "User:audit", topic: orders, operations: [Read]}
""",
            line=5,
            column=38,
        ),
        Bad(
            """\
version: 1
acls:
  - {principal: "User:audit", group: audit, operations: [Read]}
""",
            line=3,
            column=38,
        ),
        Bad(
            """\
version: 1
acls:
  - {principal: "User:loader", transactionalId: loader-, pattern: prefixed, operations: [Write]}
""",
            line=3,
            column=49,
        ),
    ),
)
