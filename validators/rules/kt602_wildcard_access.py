from __future__ import annotations

from collections.abc import Iterator

from ...topology.findings import Severity
from ..access import ANYTHING, resource_place
from ..rule import Bad, Context, Problem, Rule


def check(context: Context) -> Iterator[Problem]:
    for acl in context.topology.acls:
        if acl.permission != "allow":
            continue
        operations = ", ".join(acl.operations)
        if acl.principal.endswith(":*"):
            yield Problem(
                f"{acl.principal}: everybody gets {operations} on {acl.resource} {acl.name}; expected one principal",
                acl.place("principal"),
                acl.principal,
                "name the principals, one entry for each",
            )
        if acl.name == ANYTHING and acl.resource != "cluster":
            yield Problem(
                f"{acl.principal}: gets {operations} on every {acl.resource}, Kafka's own included;"
                " expected a name or a prefix",
                resource_place(acl),
                acl.principal,
                f"name the {acl.resource}, or use a prefix with `pattern: prefixed`",
            )


RULE = Rule(
    id="KT602",
    name="wildcard-access",
    severity=Severity.ERROR,
    summary="An ACL allows everybody, or everything.",
    why="""\
`*` as a resource reaches what others will create tomorrow, and Kafka's own topics. `User:*` is everybody who can
connect, on some clusters without a password. Such an entry undoes every other one, because access adds up. A denial may
use a wildcard.""",
    fix="Name the principal, and name the resource or a prefix that is yours.",
    requirements=("R15", "R33"),
    check=check,
    good=(
        """\
version: 1
topics:
  shop.orders: {partitions: 6, replication: 3}
acls:
  - {principal: "User:audit", topic: shop., pattern: prefixed, operations: [Read, Describe]}
  - {principal: "User:*", topic: shop.orders, operations: [Delete], permission: deny}
""",
    ),
    bad=(
        Bad(
            """\
version: 1
acls:
  - {principal: "User:audit", topic: "*", operations: [Read]}
""",
            line=3,
            column=38,
        ),
        Bad(
            """\
version: 1
topics:
  orders: {partitions: 6, replication: 3}
acls:
  - principal: User:*
    topic: orders
    operations: [Read]
""",
            line=5,
            column=16,
        ),
    ),
)
