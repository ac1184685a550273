from __future__ import annotations

from collections.abc import Iterator

from kafka_topology.topology.kafka.clients.libraries import given
from kafka_topology.topology.model.findings import Severity
from kafka_topology.validators.engine.examples import CHECKOUT, ORDERS, changed
from kafka_topology.validators.engine.in_library import own_library
from kafka_topology.validators.engine.rule import Bad, Context, Problem, rule

DOCS = """\
# KT406: exactly-once-without-transactional-id

A producer promises exactly-once but has no transactional id.

Idempotence lasts only for one producer session: after a restart the broker sees a new producer, and everything it
sends again is written twice. A transactional id survives the restart, fences the old instance, and commits records and
offsets together. Without one there are no transactions, so there is no exactly-once.

Fix: Add `transactionalId`. An id that ends in `-` is a prefix to which each instance appends its own stable part.
"""


def check(context: Context) -> Iterator[Problem]:
    for producer in context.topology.producers.values():
        if producer.delivery != "exactly-once" or producer.transactional_id or given(producer).get("transactional.id"):
            continue
        library = own_library(producer)
        if library is not None and library.own_name("producer", "enable.idempotence") is None:
            continue  # it has no transactions, which KT402 reports
        yield Problem(
            f"{producer.name}: delivery is exactly-once without a transactional id; expected `transactionalId`",
            producer.place("delivery"),
            producer.name,
            f"add `transactionalId: {producer.name}-` (each instance appends its number), or declare at-least-once",
        )


EXAMPLE = ORDERS + CHECKOUT + "    delivery: exactly-once\n    transactionalId: checkout-\n"

GOOD = (EXAMPLE, ORDERS + CHECKOUT + "    delivery: exactly-once\n    library: kafka-go\n")
BAD = (Bad(changed(EXAMPLE, {"    transactionalId: checkout-\n": ""}), line=7, column=15),)

RULE = rule(DOCS, Severity.ERROR, check, GOOD, BAD, requirements=("R18",))
