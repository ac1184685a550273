from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from kafka_topology.topology.kafka.clients.libraries import given
from kafka_topology.topology.model.declared import ConsumerGroup, Producer
from kafka_topology.topology.model.findings import Severity
from kafka_topology.validators.engine.examples import CHECKOUT, CHECKOUT_ACCESS, ORDERS
from kafka_topology.validators.engine.rule import Bad, Context, Problem, rule
from kafka_topology.validators.facts.access import Role, roles

_BY_IAM: Final = "AWS_MSK_IAM"

DOCS = """\
# KT615: role-without-principal

A producer, consumer group, share group or streams application does not declare its principal.

Access, quotas and their audit depend on the principal. A role without one gets no access: on a cluster with
authorization it cannot work, and on one without, everyone can do what it does. A client of Amazon MSK that logs in with
IAM (`sasl.mechanism: AWS_MSK_IAM`) has no principal: its access is in policies of AWS.

Fix: Add `principal`. On a cluster without authorization, turn the rule off.
"""


def check(context: Context) -> Iterator[Problem]:
    for name, role in roles(context.topology):
        if not role.principals and _mechanism(role) != _BY_IAM:
            yield Problem(
                f"{name}: it has no principal, so it cannot get any access; expected `principal`",
                role.place(),
                name,
                f"add `principal: User:{name}`, or the name in its certificate or login",
            )


def _mechanism(role: Role) -> str | None:
    settings = given(role) if isinstance(role, Producer | ConsumerGroup) else role.config
    return settings.get("sasl.mechanism")


GOOD = (
    ORDERS + CHECKOUT_ACCESS,
    ORDERS + CHECKOUT + "    library: kafka-python\n    config: {sasl_mechanism: AWS_MSK_IAM}\n",
    ORDERS + CHECKOUT + "    config: {security.protocol: SASL_SSL, sasl.mechanism: AWS_MSK_IAM}\n",
)
BAD = (
    Bad(ORDERS + CHECKOUT, line=5, column=3),
    Bad(ORDERS + "streams:\n  summing:\n    reads: [orders]\n", line=5, column=3),
)

RULE = rule(DOCS, Severity.WARNING, check, GOOD, BAD, requirements=("R15", "R33"))
