from __future__ import annotations

from collections.abc import Iterator

from ...topology.findings import Severity
from ..helpers import own_edit, place_of
from ..rule import Bad, Context, Problem, Rule


def check(context: Context) -> Iterator[Problem]:
    for writer in context.index.clients.writers:
        if writer.delivery == "at-most-once" or writer.number("retries") != 0:
            continue
        retries = writer.setting("retries")
        if retries is None:
            continue
        yield Problem(
            f"{writer.name}: retries is 0 with {writer.delivery} delivery, so a record is lost when its leader moves;"
            " expected retries",
            place_of(retries, writer.declared),
            writer.name,
            "remove retries, and bound the time with delivery.timeout.ms",
            edits=own_edit(retries, "2147483647"),
        )


RULE = Rule(
    id="KT404",
    name="retries-off",
    severity=Severity.ERROR,
    summary="A producer that promises at least once or exactly once does not retry.",
    why="""\
Leaders move at every restart of a broker, and a request that meets such a moment fails. With `retries: 0` its records
are dropped, and idempotence is silently off. The number of retries is not what bounds the time: that is
`delivery.timeout.ms`.""",
    fix="Remove `retries`: Kafka's default retries until `delivery.timeout.ms` is over.",
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
    delivery: at-least-once
    config: {delivery.timeout.ms: 2m}
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
    delivery: at-least-once
    config: {retries: 0}
""",
            line=8,
            column=23,
        ),
        Bad(
            """\
version: 1
topics:
  orders: {partitions: 6, replication: 3}
  totals: {partitions: 6, replication: 3}
streams:
  summing:
    reads: [orders]
    writes: [totals]
    config:
      producer.retries: 0
""",
            line=10,
            column=25,
        ),
    ),
)
