from __future__ import annotations

from collections.abc import Iterator

from ...topology.findings import Severity
from ...topology.units import format_duration
from ..helpers import own_edit
from ..rule import Bad, Context, Problem, Rule


def check(context: Context) -> Iterator[Problem]:
    for writer in context.index.clients.writers:
        linger, request = writer.number("linger.ms"), writer.number("request.timeout.ms")
        timeout = writer.number("delivery.timeout.ms")
        if linger is None or request is None or timeout is None or timeout >= linger + request:
            continue
        delivery = writer.setting("delivery.timeout.ms")
        if delivery is None or not delivery.is_declared or delivery.number is None:
            continue  # the client raises its own default to what is needed
        needed = linger + request
        yield Problem(
            f"{writer.name}: delivery.timeout.ms is {format_duration(delivery.number)}, below linger.ms"
            f" {format_duration(linger)} + request.timeout.ms {format_duration(request)};"
            f" expected at least {format_duration(needed)}",
            delivery.place,
            writer.name,
            f"set delivery.timeout.ms to {format_duration(needed)} or more, better a multiple, so that retries fit",
            edits=own_edit(delivery, format_duration(max(needed, 120_000))),
        )


RULE = Rule(
    id="KT405",
    name="delivery-timeout-too-short",
    severity=Severity.ERROR,
    summary="`delivery.timeout.ms` is below `linger.ms` + `request.timeout.ms`.",
    why="""\
`delivery.timeout.ms` bounds everything that happens to a record: waiting for its batch, sending it, waiting for the
answer and sending it again. When it is shorter than one wait and one request, the Java producer refuses to start.
A little above it no retry fits, so the first failed request loses the record.""",
    fix="""\
Raise `delivery.timeout.ms` (Kafka's default is 2 minutes), or lower `request.timeout.ms` or `linger.ms`.""",
    requirements=("R17",),
    check=check,
    good=(
        """\
version: 1
topics:
  orders: {partitions: 6, replication: 3}
producers:
  checkout:
    topics: [orders]
    config: {delivery.timeout.ms: 2m, request.timeout.ms: 30s, linger.ms: 0}
""",
    ),
    bad=(
        Bad(
            """\
version: 1
topics:
  orders: {partitions: 6, replication: 3}
producers:
  checkout:
    topics: [orders]
    config:
      delivery.timeout.ms: 30s
      request.timeout.ms: 30s
      linger.ms: 100ms
""",
            line=8,
            column=28,
        ),
        Bad(
            """\
version: 1
topics:
  orders: {partitions: 6, replication: 3}
producers:
  checkout: {topics: [orders], config: {delivery.timeout.ms: 10s}}
""",
            line=5,
            column=62,
        ),
    ),
)
