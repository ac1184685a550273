from __future__ import annotations

from collections.abc import Iterator

from kafka_topology.topology.model.findings import Severity
from kafka_topology.topology.model.units import format_duration, kafka_true
from kafka_topology.validators.engine.examples import CHECKOUT, EXACTLY_ONCE, ORDERS, changed, on_cluster
from kafka_topology.validators.engine.helpers import problem_with, related
from kafka_topology.validators.engine.in_library import called
from kafka_topology.validators.engine.rule import Bad, Context, Problem, rule

DOCS = """\
# KT408: transaction-timeout-above-broker

A producer asks for longer transactions than the brokers allow.

A broker refuses a transactional producer whose `transaction.timeout.ms` is above its own `transaction.max.timeout.ms`
(15 minutes by default): the application does not start.

Which of the two is wrong, the file does not show, so `--fix` changes neither. Flink keeps a transaction open from one
checkpoint to the next, and loses records if it expires in between: its timeout (1 hour by default) is meant. Long
transactions delay every `read_committed` reader.

Fix: Raise `transaction.max.timeout.ms` of the brokers if the transactions really take that long; otherwise lower
`transaction.timeout.ms`.
"""


def check(context: Context) -> Iterator[Problem]:
    largest = context.settings.broker("transaction.max.timeout.ms")
    if largest is None or largest.number is None:
        return
    for writer in context.index.clients.senders:
        if writer.transactional_id is None and not writer.is_exactly_once:
            continue
        if (writer.number("transaction.timeout.ms") or 0) <= largest.number:
            continue
        timeout = writer.setting("transaction.timeout.ms")
        if timeout is None or timeout.number is None or kafka_true(writer.value("transaction.two.phase.commit.enable")):
            continue  # two-phase transactions do not expire
        most = format_duration(largest.number)
        yield problem_with(
            timeout,
            writer,
            f"transaction.timeout.ms is {format_duration(timeout.number)}, above the brokers'"
            f" transaction.max.timeout.ms {most}; expected at most {most}",
            f"raise transaction.max.timeout.ms of the brokers to {format_duration(timeout.number)} if the transactions"
            f" need it, as those of Flink between two checkpoints do, or set {called(writer.declared, timeout.name)} to"
            f" {most} or less",
            related=related(largest, "the brokers' maximum"),
        )


EXAMPLE = ORDERS + CHECKOUT + EXACTLY_ONCE + "    config: {transaction.timeout.ms: 1m}\n"

GOOD = (EXAMPLE,)
BAD = (
    Bad(changed(EXAMPLE, {"transaction.timeout.ms: 1m": "transaction.timeout.ms: 1h"}), line=9, column=38),
    Bad(on_cluster("defaults: {transaction.max.timeout.ms: 30s}", ORDERS + CHECKOUT + EXACTLY_ONCE), line=6, column=3),
)

RULE = rule(DOCS, Severity.ERROR, check, GOOD, BAD, requirements=("R18",))
