from __future__ import annotations

from collections.abc import Iterator

from ...topology.findings import Severity
from ..access import roles
from ..rule import Bad, Context, Problem, Rule

ANONYMOUS = "User:ANONYMOUS"


def check(context: Context) -> Iterator[Problem]:
    users = [
        *((name, role) for name, role in roles(context.topology)),
        *((acl.name, acl) for acl in context.topology.acls if acl.permission == "allow"),
    ]
    for name, user in users:
        if user.principal != ANONYMOUS:
            continue
        yield Problem(
            f"{name}: the principal is {ANONYMOUS}, which is everyone without a login; expected a principal of its own",
            user.place("principal"),
            name,
            "let the client come in by TLS or SASL, and name its principal",
        )


RULE = Rule(
    id="KT608",
    name="anonymous-principal",
    severity=Severity.WARNING,
    summary="Access is given to clients that do not say who they are.",
    why="""\
`User:ANONYMOUS` is whoever connects to a plaintext listener. What it may do, everybody in the network may do, and
nobody can tell afterwards who it was. Quotas and denials hit all of them together.""",
    fix="Use TLS or SASL, and a principal for each application.",
    requirements=("R33", "R15"),
    check=check,
    good=(
        """\
version: 1
topics:
  orders: {partitions: 6, replication: 3}
producers:
  checkout: {principal: "User:checkout", topics: [orders]}
""",
    ),
    bad=(
        Bad(
            """\
version: 1
topics:
  orders: {partitions: 6, replication: 3}
producers:
  checkout: {principal: "User:ANONYMOUS", topics: [orders]}
""",
            line=5,
            column=25,
        ),
        Bad(
            """\
version: 1
topics:
  orders: {partitions: 6, replication: 3}
acls:
  - {principal: "User:ANONYMOUS", topic: orders, operations: [Describe]}
""",
            line=5,
            column=17,
        ),
    ),
)
