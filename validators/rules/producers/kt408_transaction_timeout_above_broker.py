from __future__ import annotations

from collections.abc import Iterator

from ...topology.findings import Severity
from ...topology.units import format_duration
from ..helpers import own_edit, place_of, related
from ..rule import Bad, Context, Problem, Rule


def check(context: Context) -> Iterator[Problem]:
    largest = context.settings.broker("transaction.max.timeout.ms")
    if largest is None or largest.number is None:
        return
    for writer in context.index.clients.writers:
        if writer.transactional_id is None and not writer.is_exactly_once:
            continue
        if (writer.number("transaction.timeout.ms") or 0) <= largest.number:
            continue
        timeout = writer.setting("transaction.timeout.ms")
        if timeout is None or timeout.number is None or writer.value("transaction.two.phase.commit.enable") == "true":
            continue  # transactions of two phases do not expire
        most = format_duration(largest.number)
        yield Problem(
            f"{writer.name}: transaction.timeout.ms is {format_duration(timeout.number)}, above the brokers'"
            f" transaction.max.timeout.ms {most}; expected at most {most}",
            place_of(timeout, writer.declared),
            writer.name,
            f"set transaction.timeout.ms to {most} or less, or raise the brokers' maximum",
            related=related(largest, "the brokers' maximum"),
            edits=own_edit(timeout, most),
        )


RULE = Rule(
    id="KT408",
    name="transaction-timeout-above-broker",
    severity=Severity.ERROR,
    summary="A producer asks for longer transactions than the brokers allow.",
    why="""\
A broker refuses a transactional producer whose `transaction.timeout.ms` is above its own `transaction.max.timeout.ms`
(15 minutes unless set): the application does not start.""",
    fix="""\
Lower `transaction.timeout.ms`. Long transactions also hold back every `read_committed` reader of their partitions.""",
    requirements=("R18",),
    check=check,
    good=(
        """\
version: 1
topics:
  orders: {partitions: 6, replication: 3}
producers:
  checkout:
    topics: [orders]
    delivery: exactly-once
    transactionalId: checkout-
    config: {transaction.timeout.ms: 1m}
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
    delivery: exactly-once
    transactionalId: checkout-
    config: {transaction.timeout.ms: 1h}
""",
            line=9,
            column=38,
        ),
        Bad(
            """\
version: 1
cluster:
  defaults: {transaction.max.timeout.ms: 30s}
topics:
  orders: {partitions: 6, replication: 3}
producers:
  checkout:
    topics: [orders]
    delivery: exactly-once
    transactionalId: checkout-
""",
            line=7,
            column=3,
        ),
    ),
)
