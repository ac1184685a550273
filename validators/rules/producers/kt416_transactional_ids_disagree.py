from __future__ import annotations

from collections.abc import Iterator

from kafka_topology.topology.kafka.clients.libraries import config_place, given
from kafka_topology.topology.kafka.clients.promises import transactional_id_fits
from kafka_topology.topology.model.findings import Related, Severity
from kafka_topology.validators.engine.examples import ORDERS, changed
from kafka_topology.validators.engine.rule import Bad, Context, Problem, rule

DOCS = """\
# KT416: transactional-ids-disagree

A producer's `transactionalId` differs from `transactional.id` in its config.

Access to a transactional id is granted for `transactionalId`. A client that uses another id is refused with
TransactionalIdAuthorizationException, and cannot write at all.

Fix: Keep only `transactionalId`; the client's setting follows from it.
"""


def check(context: Context) -> Iterator[Problem]:
    for producer in context.topology.producers.values():
        declared, configured = producer.transactional_id, given(producer).get("transactional.id")
        if declared is None or configured is None or transactional_id_fits(declared, configured):
            continue
        expected = f"one that starts with {declared}" if declared.endswith("-") else declared
        yield Problem(
            f"{producer.name}: its config sets transactional.id to {configured}, but access is granted for the declared"
            f" `transactionalId` {declared}; expected {expected}",
            config_place(producer, "transactional.id"),
            producer.name,
            "remove transactional.id from the config, or make the two agree",
            related=(Related(producer.place("transactionalId").location, "access is granted for this one"),),
        )


EXAMPLE = (
    ORDERS
    + """\
producers:
  checkout: {topics: [orders], transactionalId: checkout-, config: {transactional.id: checkout-0}}
"""
)

GOOD = (EXAMPLE,)
BAD = (Bad(changed(EXAMPLE, {"transactional.id: checkout-0": "transactional.id: shop-0"}), line=5, column=87),)

RULE = rule(DOCS, Severity.ERROR, check, GOOD, BAD, requirements=("R18", "R33"))
