from __future__ import annotations

from collections.abc import Iterator

from kafka_topology.topology.model.findings import Severity
from kafka_topology.validators.engine.examples import CHECKOUT, ORDERS, SUMMING, changed
from kafka_topology.validators.engine.helpers import problem_with
from kafka_topology.validators.engine.rule import Bad, Context, Problem, rule

DOCS = """\
# KT404: retries-off

A producer that promises at-least-once or exactly-once does not retry.

Leaders move whenever a broker restarts, and requests at that moment fail. With `retries: 0` their records are dropped,
and idempotence is silently off. To limit the time, use `delivery.timeout.ms`, not the number of retries.

Fix: Remove `retries`: by default, Kafka retries until `delivery.timeout.ms` has passed.
"""


def check(context: Context) -> Iterator[Problem]:
    for writer in context.index.clients.writers:
        if writer.delivery == "at-most-once" or writer.number("retries") != 0:
            continue
        retries = writer.setting("retries")
        if retries is None:
            continue
        yield problem_with(
            retries,
            writer,
            f"retries is 0 with {writer.delivery} delivery, so a record is lost when its leader moves;"
            " expected retries",
            "remove retries, and limit the time with delivery.timeout.ms",
            edit="2147483647",
        )


EXAMPLE = ORDERS + CHECKOUT + "    delivery: at-least-once\n    config: {delivery.timeout.ms: 2m}\n"

GOOD = (EXAMPLE,)
BAD = (
    Bad(changed(EXAMPLE, {"delivery.timeout.ms: 2m": "retries: 0"}), line=8, column=23),
    Bad(ORDERS + SUMMING + "    config:\n      producer.retries: 0\n", line=10, column=25),
)

RULE = rule(DOCS, Severity.ERROR, check, GOOD, BAD, requirements=("R17",))
