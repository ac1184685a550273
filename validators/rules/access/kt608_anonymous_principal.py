from __future__ import annotations

from collections.abc import Iterator

from kafka_topology.topology.model.findings import Severity
from kafka_topology.validators.engine.examples import CHECKOUT_ACCESS, ORDERS, changed
from kafka_topology.validators.engine.rule import Bad, Context, Problem, rule
from kafka_topology.validators.facts.access import roles

DOCS = """\
# KT608: anonymous-principal

Unauthenticated clients get access.

`User:ANONYMOUS` is anyone who connects to a plaintext listener. Whatever it may do, everyone in the network may do,
and nobody can find out afterwards who it was. Quotas and denials affect all of them together.

Fix: Use TLS or SASL, and one principal per application.
"""

ANONYMOUS = "User:ANONYMOUS"


def check(context: Context) -> Iterator[Problem]:
    topology = context.topology
    users = [
        *((name, role.principal_place(ANONYMOUS)) for name, role in roles(topology) if ANONYMOUS in role.principals),
        *(
            (acl.name, acl.place("principal"))
            for acl in topology.acls
            if acl.permission == "allow" and acl.principal == ANONYMOUS
        ),
    ]
    for name, place in users:
        yield Problem(
            f"{name}: the principal is {ANONYMOUS}, which is everyone without a login; expected its own principal",
            place,
            name,
            "authenticate the client with TLS or SASL, and name its principal",
        )


EXAMPLE = ORDERS + CHECKOUT_ACCESS

GOOD = (EXAMPLE,)
BAD = (
    Bad(changed(EXAMPLE, {'principal: "User:checkout"': 'principal: "User:ANONYMOUS"'}), line=5, column=25),
    Bad(
        ORDERS + 'acls:\n  - {principal: "User:ANONYMOUS", topic: orders, operations: [Describe]}\n', line=5, column=17
    ),
)

RULE = rule(DOCS, Severity.WARNING, check, GOOD, BAD, requirements=("R33", "R15"), judges_parts=True)
