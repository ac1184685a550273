from __future__ import annotations

from collections.abc import Iterator

from kafka_topology.topology.model.findings import Severity
from kafka_topology.topology.model.units import kafka_true
from kafka_topology.validators.engine.examples import BILLING, CLICKS, ORDERS
from kafka_topology.validators.engine.helpers import problem_with, shown
from kafka_topology.validators.engine.rule import Bad, Context, Problem, rule

DOCS = """\
# KT502: auto-commit

A group that promises at-least-once or exactly-once commits its offsets on a timer.

Auto-commit, Kafka's default, commits delivered records in the background, processed or not. If an application that
passes records to other threads stops, it loses those that were committed but not processed; one that stops between
two commits repeats work. At-least-once means: process, then commit. Exactly-once commits the offsets in the
transaction.

Fix: Set `enable.auto.commit: false` and commit after processing, or declare `delivery: at-most-once`.
"""


def check(context: Context) -> Iterator[Problem]:
    for reader in context.index.clients.groups:
        if reader.delivery == "at-most-once" or not kafka_true(reader.value("enable.auto.commit")):
            continue
        auto_commit = reader.setting("enable.auto.commit")
        if auto_commit is None:
            continue
        yield problem_with(
            auto_commit,
            reader,
            f"enable.auto.commit is {shown(auto_commit)} with {reader.delivery} delivery; expected false",
            "set enable.auto.commit to false, and commit in the application after it has processed the records",
        )


GOOD = (
    ORDERS
    + """\
consumerGroups:
  billing: {topics: [orders], delivery: at-least-once, config: {enable.auto.commit: false}}
""",
    CLICKS + "consumerGroups:\n  dashboard: {topics: [clicks], delivery: at-most-once}\n",
)
BAD = (
    Bad(ORDERS + BILLING + "    delivery: at-least-once\n    config: {enable.auto.commit: true}\n", line=8, column=34),
    Bad(ORDERS + BILLING, line=5, column=3),
    Bad(
        ORDERS + BILLING + "    delivery: exactly-once\n    config:\n      isolation.level: read_committed\n",
        line=5,
        column=3,
    ),
)

RULE = rule(DOCS, Severity.ERROR, check, GOOD, BAD, requirements=("R19", "R18"))
