from __future__ import annotations

from collections.abc import Iterator

from kafka_topology.topology.model.findings import Severity
from kafka_topology.topology.model.units import kafka_true
from kafka_topology.validators.engine.examples import CHECKOUT, CLICKS, EXACTLY_ONCE, ORDERS, TRACKER, changed
from kafka_topology.validators.engine.helpers import problem_with
from kafka_topology.validators.engine.rule import Bad, Context, Problem, rule
from kafka_topology.validators.facts.client_roles import means_all

DOCS = """\
# KT402: idempotence-off

A producer waits for all replicas but has idempotence turned off.

If an acknowledgement is lost, the producer sends the batch again. With idempotence, the broker recognizes the batch
and drops the copy. Without it, the record is written twice, or after a later one. Idempotence costs almost nothing and
has been Kafka's default since 3.0. A producer with a transactional id does not even start without it: then this is an
error.

Fix: Remove `enable.idempotence: false`.
"""


def check(context: Context) -> Iterator[Problem]:
    for writer in context.index.clients.writers:
        if kafka_true(writer.value("enable.idempotence")) or not means_all(writer.value("acks") or ""):
            continue  # KT401 reports other acks
        idempotence = writer.setting("enable.idempotence")
        if idempotence is None:
            continue
        transactional = writer.transactional_id is not None
        if not transactional and writer.number("retries") == 0:
            continue  # nothing is sent twice; KT404 reports the loss
        effect = (
            "a producer with a transactional id refuses to start"
            if transactional
            else "a retry can write a record twice, or after a later one"
        )
        yield problem_with(
            idempotence,
            writer,
            f"enable.idempotence is {idempotence.value} with acks=all, so {effect}; expected true",
            "remove enable.idempotence, or set it to true",
            edit="true",
            severity=Severity.ERROR if transactional else None,
        )


EXAMPLE = ORDERS + CHECKOUT + "    config: {acks: all, enable.idempotence: true}\n"

GOOD = (EXAMPLE, CLICKS + TRACKER + "    config: {acks: 1, enable.idempotence: false}\n")
BAD = (
    Bad(changed(EXAMPLE, {"enable.idempotence: true": "enable.idempotence: false"}), line=7, column=45),
    Bad(ORDERS + CHECKOUT + EXACTLY_ONCE + "    config:\n      enable.idempotence: false\n", line=10, column=27),
)

RULE = rule(DOCS, Severity.WARNING, check, GOOD, BAD, requirements=("R17", "R18"))
