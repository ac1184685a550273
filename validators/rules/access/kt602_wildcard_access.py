from __future__ import annotations

from collections.abc import Iterator

from kafka_topology.topology.kafka.authorizer import ANYTHING
from kafka_topology.topology.model.findings import Severity
from kafka_topology.validators.engine.examples import ORDERS, SHOP_ORDERS
from kafka_topology.validators.engine.rule import Bad, Context, Problem, rule
from kafka_topology.validators.facts.access import resource_place

DOCS = """\
# KT602: wildcard-access

An ACL allows everyone, or everything.

`*` as a resource includes whatever others will create tomorrow, and Kafka's own topics. `User:*` is everyone who can
connect, on some clusters without a password. Access adds up, so such an entry makes every other one pointless. A deny
entry may use a wildcard. So may an entry that allows nothing but Describe and DescribeConfigs, which monitoring needs
and which shows no record. `*` with `pattern: prefixed` is no wildcard; KT621 reports it.

Fix: Name the principal, and name the resource or a prefix that you own.
"""


_LOOKS = frozenset({"Describe", "DescribeConfigs"})


def check(context: Context) -> Iterator[Problem]:
    for acl in context.topology.acls:
        if acl.permission != "allow" or _LOOKS.issuperset(acl.operations):
            continue
        operations = ", ".join(acl.operations)
        if acl.principal.endswith(":*"):
            yield Problem(
                f"{acl.principal}: everyone gets {operations} on {acl.resource} {acl.name}; expected one principal",
                acl.place("principal"),
                acl.principal,
                "name the principals, one entry for each",
            )
        if acl.name == ANYTHING and acl.pattern == "literal" and acl.resource != "cluster":
            yield Problem(
                f"{acl.principal}: it gets {operations} on every {acl.resource}, including Kafka's own; expected a"
                " name or a prefix",
                resource_place(acl),
                acl.principal,
                f"name the {acl.resource}, or use a prefix with `pattern: prefixed`",
            )


GOOD = (
    SHOP_ORDERS
    + """\
acls:
  - {principal: "User:audit", topic: shop., pattern: prefixed, operations: [Read, Describe]}
  - {principal: "User:*", topic: shop.orders, operations: [Delete], permission: deny}
  - {principal: "User:lag-monitor", group: "*", operations: [Describe]}
  - {principal: "User:lag-monitor", topic: "*", operations: [Describe, DescribeConfigs]}
  - {principal: "User:mistaken", topic: "*", pattern: prefixed, operations: [Read]}
""",
)
BAD = (
    Bad('version: 1\nacls:\n  - {principal: "User:audit", topic: "*", operations: [Read]}\n', line=3, column=38),
    Bad(
        'version: 1\nacls:\n  - {principal: "User:audit", topic: "*", operations: [Describe, Read]}\n',
        line=3,
        column=38,
    ),
    Bad(ORDERS + "acls:\n  - principal: User:*\n    topic: orders\n    operations: [Read]\n", line=5, column=16),
)

RULE = rule(DOCS, Severity.ERROR, check, GOOD, BAD, requirements=("R15", "R33"), judges_parts=True)
