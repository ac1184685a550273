from __future__ import annotations

from collections.abc import Iterator, Mapping

from kafka_topology.topology.kafka.authorizer import ANYONE
from kafka_topology.topology.model.declared import Acl
from kafka_topology.topology.model.findings import Severity
from kafka_topology.validators.engine.examples import ORDERS
from kafka_topology.validators.engine.rule import Bad, Context, Problem, rule
from kafka_topology.validators.facts.access import grants_of, matches_nobody, resource_place

DOCS = """\
# KT604: incomplete-access

ACLs give a principal only part of the access that it needs.

A member of a group needs Read on the topic and Read on the group; writing in transactions needs Write on the topic and
Write on the transactional id. (Both include Describe.) Hand-written ACLs often have one without the other, and the
application fails at its first request. Read on a topic alone is enough for a client that assigns its partitions itself
and keeps its offsets elsewhere, as MirrorMaker, Flink and Spark do, so that is only an advice. A producer, consumer
group or streams application in the file gets everything it needs automatically.

Fix: Declare the role instead of its ACLs, or add the missing ones.
"""

Operations = Mapping[str, set[str]]  # by resource

_READS_WITHOUT_GROUP = (
    "may read it but may not join or commit a group; expected Read on a group, unless it assigns its partitions itself",
    (
        "declare a consumer group with this principal, or add Read on its group; a client that assigns its partitions"
        " and commits nothing needs neither"
    ),
)
_GROUP_WITHOUT_TOPIC = (
    "may join it but may not read any topic; expected Read on a topic",
    "declare a consumer group with this principal instead, or add Read on its topics",
)
_TRANSACTS_WITHOUT_TOPIC = (
    "may write in transactions but may not write any topic; expected Write on a topic",
    "declare a producer with this principal instead, or add Write on its topics",
)
_WRITES_WITHOUT_TRANSACTION = (
    "may describe the transactional id and write topics, but may not use the id; expected Write on it",
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
        if acl.permission != "allow" or acl.principal == ANYONE or matches_nobody(acl):
            continue
        missing = _missing(acl, (granted.get(acl.principal, {}), granted.get(ANYONE, {})))
        if missing is None or (acl.principal, missing[0]) in reported:
            continue
        reported.add((acl.principal, missing[0]))
        yield Problem(
            f"{acl.name}: {acl.principal} {missing[0]}",
            resource_place(acl),
            acl.principal,
            missing[1],
            severity=Severity.ADVICE if missing is _READS_WITHOUT_GROUP else None,
        )


def _missing(acl: Acl, granted: tuple[Operations, ...]) -> tuple[str, str] | None:
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


GOOD = (
    ORDERS + 'acls:\n  - {principal: "User:audit", topic: "orders*", operations: [Read]}\n',  # KT621 reports it
    ORDERS
    + """\
acls:
  - {principal: "User:audit", topic: orders, operations: [Read]}
  - {principal: "User:audit", group: audit-, pattern: prefixed, operations: [Read]}
""",
)
BAD = (
    Bad(ORDERS + 'acls:\n  - {principal: "User:audit", topic: orders, operations: [Read]}\n', line=5, column=38),
    Bad('version: 1\nacls:\n  - {principal: "User:audit", group: audit, operations: [Read]}\n', line=3, column=38),
    Bad(
        """\
version: 1
acls:
  - {principal: "User:loader", transactionalId: loader-, pattern: prefixed, operations: [Write]}
""",
        line=3,
        column=49,
    ),
)

RULE = rule(DOCS, Severity.ERROR, check, GOOD, BAD, requirements=("R33", "R15"))
