from __future__ import annotations

from collections.abc import Iterator

from kafka_topology.topology.model.findings import Severity
from kafka_topology.validators.engine.examples import CHECKOUT, CHECKOUT_ACCESS, ORDERS
from kafka_topology.validators.engine.rule import Bad, Context, Problem, rule
from kafka_topology.validators.facts.access import roles

DOCS = """\
# KT615: role-without-principal

A producer, consumer group or streams application does not declare its principal.

Access, quotas and their audit depend on the principal. A role without one gets no access: on a cluster with
authorization it cannot work, and on one without, everyone can do what it does.

Fix: Add `principal`. On a cluster without authorization, turn the rule off.
"""


def check(context: Context) -> Iterator[Problem]:
    for name, role in roles(context.topology):
        if role.principal is None:
            yield Problem(
                f"{name}: it has no principal, so it cannot get any access; expected `principal`",
                role.place(),
                name,
                f"add `principal: User:{name}`, or the name in its certificate or login",
            )


GOOD = (ORDERS + CHECKOUT_ACCESS,)
BAD = (
    Bad(ORDERS + CHECKOUT, line=5, column=3),
    Bad(ORDERS + "streams:\n  summing:\n    reads: [orders]\n", line=5, column=3),
)

RULE = rule(DOCS, Severity.WARNING, check, GOOD, BAD, requirements=("R15", "R33"))
