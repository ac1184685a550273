from __future__ import annotations

from collections.abc import Iterator

from kafka_topology.topology.kafka.clients.promises import retries_keep
from kafka_topology.topology.model.findings import Severity
from kafka_topology.validators.engine.examples import CHECKOUT, ORDERS, SUMMING, changed
from kafka_topology.validators.engine.helpers import problem_with
from kafka_topology.validators.engine.in_library import own_library
from kafka_topology.validators.engine.rule import Bad, Context, Problem, rule
from kafka_topology.validators.facts.client_roles import Writer

DOCS = """\
# KT404: retries-off

A producer that promises at-least-once or exactly-once does not retry.

Leaders move whenever a broker restarts, and requests at that moment fail. With `retries: 0` their records are dropped,
and idempotence is silently off. To limit the time, use `delivery.timeout.ms`, not the number of retries.

Fix: Remove `retries`: by default, Kafka retries until `delivery.timeout.ms` has passed.
"""


def check(context: Context) -> Iterator[Problem]:
    for writer in context.index.clients.senders:
        if retries_keep(writer.delivery, writer.value("retries") or ""):
            continue
        retries = writer.setting("retries")
        if retries is None:
            continue
        yield problem_with(
            retries,
            writer,
            f"retries is 0 with {writer.delivery} delivery, so a record is lost when its leader moves;"
            " expected retries",
            _fix(writer),
            edit="2147483647",
        )


def _fix(writer: Writer) -> str:
    library = own_library(writer.declared)
    has_limit = library is None or library.own_name("producer", "delivery.timeout.ms") is not None
    return f"remove retries{', and limit the time with delivery.timeout.ms' if has_limit else ''}"


EXAMPLE = ORDERS + CHECKOUT + "    delivery: at-least-once\n    config: {delivery.timeout.ms: 2m}\n"

GOOD = (EXAMPLE,)
BAD = (
    Bad(changed(EXAMPLE, {"delivery.timeout.ms: 2m": "retries: 0"}), line=8, column=23),
    Bad(ORDERS + SUMMING + "    config:\n      producer.retries: 0\n", line=10, column=25),
)

RULE = rule(DOCS, Severity.ERROR, check, GOOD, BAD, requirements=("R17",))
