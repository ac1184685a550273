from __future__ import annotations

from collections.abc import Iterator

from ...topology.findings import Severity
from ..access import roles
from ..rule import Bad, Context, Problem, Rule


def check(context: Context) -> Iterator[Problem]:
    for name, role in roles(context.topology):
        if role.principal is None:
            yield Problem(
                f"{name}: no principal, so no access can be granted; expected `principal`",
                role.place(),
                name,
                f"add `principal: User:{name}`, or whatever its certificate or login says",
            )


RULE = Rule(
    id="KT615",
    name="role-without-principal",
    severity=Severity.WARNING,
    summary="A producer, consumer group or streams application does not say who it connects as.",
    why="""\
Access, quotas and the audit of both go by principal. A role without one gets no access: on a cluster with
authorization it cannot work, and on one without, everybody can do what it does.""",
    fix="Add `principal`. On a cluster without authorization, turn the rule off.",
    requirements=("R15", "R33"),
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
  checkout:
    topics: [orders]
""",
            line=5,
            column=3,
        ),
        Bad(
            """\
version: 1
topics:
  orders: {partitions: 6, replication: 3}
streams:
  summing:
    reads: [orders]
""",
            line=5,
            column=3,
        ),
    ),
)
