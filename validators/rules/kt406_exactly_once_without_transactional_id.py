from __future__ import annotations

from collections.abc import Iterator

from ...topology.findings import Severity
from ..rule import Bad, Context, Problem, Rule


def check(context: Context) -> Iterator[Problem]:
    for producer in context.topology.producers.values():
        if producer.delivery != "exactly-once" or producer.transactional_id or producer.config.get("transactional.id"):
            continue
        yield Problem(
            f"{producer.name}: delivery is exactly-once without a transactional id; expected `transactionalId`",
            producer.place("delivery"),
            producer.name,
            f"add `transactionalId: {producer.name}-` (each instance adds its number), or declare at-least-once",
        )


RULE = Rule(
    id="KT406",
    name="exactly-once-without-transactional-id",
    severity=Severity.ERROR,
    summary="A producer promises exactly once and has no transactional id.",
    why="""\
Idempotence lasts as long as one producer session: after a restart the broker takes the application for a new producer,
and what it sends again is there twice. A transactional id survives the restart, fences the old instance off, and lets
records and offsets be committed together. Without one there are no transactions, so there is no exactly once.""",
    fix="""\
Add `transactionalId`. One that ends in `-` is a prefix, to which each instance adds its own, stable part.""",
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
""",
            line=7,
            column=15,
        ),
    ),
)
