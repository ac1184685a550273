from __future__ import annotations

from collections.abc import Iterator

from kafka_topology.topology.kafka.clients.libraries import LIBRARIES
from kafka_topology.topology.kafka.clients.promises import means_all
from kafka_topology.topology.model.declared import Producer
from kafka_topology.topology.model.findings import Severity
from kafka_topology.topology.model.units import kafka_true
from kafka_topology.validators.engine.examples import CHECKOUT, CLICKS, EXACTLY_ONCE, ORDERS, TRACKER, changed
from kafka_topology.validators.engine.helpers import problem_with
from kafka_topology.validators.engine.in_library import own_library, to_set
from kafka_topology.validators.engine.rule import Bad, Context, Problem, rule
from kafka_topology.validators.facts.client_roles import Writer

DOCS = """\
# KT402: idempotence-off

A producer waits for all replicas but has idempotence turned off.

If an acknowledgement is lost, the producer sends the batch again. With idempotence, the broker recognizes the batch
and drops the copy. Without it, the record is written twice, or after a later one. Idempotence costs almost nothing and
has been Kafka's default since 3.0. A producer with a transactional id does not even start without it: then this is an
error. librdkafka, kafka-python, aiokafka and KafkaJS turn it on for such a producer themselves. kafka-go has neither
idempotence nor transactions.

Fix: Remove `enable.idempotence: false`. Instead of kafka-go, use another library, unless readers can handle a record
that comes twice.
"""


def check(context: Context) -> Iterator[Problem]:
    for writer in context.index.clients.senders:
        if _never_idempotent(writer):
            yield from _without(writer)
            continue
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
            _fix(writer),
            edit="true",
            severity=Severity.ERROR if transactional else None,
        )


def _never_idempotent(writer: Writer) -> bool:
    library = own_library(writer.declared)
    return library is not None and library.own_name("producer", "enable.idempotence") is None


def _without(writer: Writer) -> Iterator[Problem]:
    """For a library that has neither idempotence nor transactions."""
    library, declared = own_library(writer.declared), writer.declared
    if library is None or not isinstance(declared, Producer):
        return
    has_both = ", ".join(name for name, each in LIBRARIES.items() if each.own_name("producer", "enable.idempotence"))
    if writer.is_exactly_once or writer.transactional_id is not None:
        place = writer.transactional_id_place if not writer.is_exactly_once else declared.place("delivery")
        yield Problem(
            f"{writer.name}: {library.title} has neither idempotence nor transactions, so it cannot write exactly once;"
            " expected a library that has them, or another delivery",
            place,
            writer.name,
            f"use a library that has them ({has_both}), or declare `delivery: at-least-once` and no transactional id",
            severity=Severity.ERROR,
        )
    elif means_all(writer.value("acks") or "") and writer.number("retries") != 0:
        yield Problem(
            f"{writer.name}: {library.title} has no idempotence, so a retry can write a record twice, or after a later"
            " one; expected a library that has it",
            declared.place("library"),
            writer.name,
            f"use a library that has it ({has_both}); if readers can handle a record that comes twice or late, suppress"
            " the rule and say so",
        )


def _fix(writer: Writer) -> str:
    if own_library(writer.declared) is None:
        return "remove enable.idempotence, or set it to true"
    return to_set(writer.declared, "enable.idempotence", "true")


EXAMPLE = ORDERS + CHECKOUT + "    config: {acks: all, enable.idempotence: true}\n"

GOOD = (
    EXAMPLE,
    CLICKS + TRACKER + "    config: {acks: 1, enable.idempotence: false}\n",
    ORDERS + CHECKOUT + "    library: franz-go\n",
    ORDERS + CHECKOUT + EXACTLY_ONCE + "    library: librdkafka\n",
    ORDERS + CHECKOUT + EXACTLY_ONCE + "    library: kafkajs\n",
)
BAD = (
    Bad(changed(EXAMPLE, {"enable.idempotence: true": "enable.idempotence: false"}), line=7, column=45),
    Bad(ORDERS + CHECKOUT + EXACTLY_ONCE + "    config:\n      enable.idempotence: false\n", line=10, column=27),
    Bad(
        ORDERS + CHECKOUT + "    library: kafka-go\n    config: {RequiredAcks: RequireAll}\n",
        line=7,
        column=14,
    ),
    Bad(ORDERS + CHECKOUT + EXACTLY_ONCE + "    library: kafka-go\n", line=7, column=15),
)

RULE = rule(DOCS, Severity.WARNING, check, GOOD, BAD, requirements=("R17", "R18"))
