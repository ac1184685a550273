from __future__ import annotations

from collections.abc import Iterator

from kafka_topology.topology.model.findings import Severity
from kafka_topology.topology.model.units import format_duration
from kafka_topology.validators.engine.examples import CHECKOUT, ORDERS
from kafka_topology.validators.engine.helpers import own_edit
from kafka_topology.validators.engine.rule import Bad, Context, Problem, rule

DOCS = """\
# KT405: delivery-timeout-too-short

`delivery.timeout.ms` is below `linger.ms` + `request.timeout.ms`.

`delivery.timeout.ms` limits everything that happens to a record: waiting for its batch, sending it, waiting for the
answer and sending it again. If it is shorter than one wait and one request, the Java producer refuses to start. If it
is only slightly longer, no retry fits, and the first failed request loses the record.

Fix: Raise `delivery.timeout.ms` (Kafka's default is 2 minutes), or lower `request.timeout.ms` or `linger.ms`.
"""


def check(context: Context) -> Iterator[Problem]:
    for writer in context.index.clients.writers:
        linger, request = writer.number("linger.ms"), writer.number("request.timeout.ms")
        timeout = writer.number("delivery.timeout.ms")
        if linger is None or request is None or timeout is None or timeout >= linger + request:
            continue
        delivery = writer.setting("delivery.timeout.ms")
        if delivery is None or not delivery.is_declared or delivery.number is None:
            continue  # the client raises its own default if needed
        needed = linger + request
        yield Problem(
            f"{writer.name}: delivery.timeout.ms is {format_duration(delivery.number)}, below linger.ms"
            f" {format_duration(linger)} + request.timeout.ms {format_duration(request)}; expected at least"
            f" {format_duration(needed)}",
            delivery.place,
            writer.name,
            f"set delivery.timeout.ms to {format_duration(needed)} or more, better a multiple to leave time for"
            " retries",
            edits=own_edit(delivery, format_duration(max(needed, 120_000))),
        )


GOOD = (ORDERS + CHECKOUT + "    config: {delivery.timeout.ms: 2m, request.timeout.ms: 30s, linger.ms: 0}\n",)
BAD = (
    Bad(
        ORDERS
        + CHECKOUT
        + """\
    config:
      delivery.timeout.ms: 30s
      request.timeout.ms: 30s
      linger.ms: 100ms
""",
        line=8,
        column=28,
    ),
    Bad(ORDERS + "producers:\n  checkout: {topics: [orders], config: {delivery.timeout.ms: 10s}}\n", line=5, column=62),
)

RULE = rule(DOCS, Severity.ERROR, check, GOOD, BAD, requirements=("R17",))
