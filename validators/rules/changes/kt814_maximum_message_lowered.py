from __future__ import annotations

from collections.abc import Iterator

from kafka_topology.topology.model.findings import Severity
from kafka_topology.topology.model.units import format_size
from kafka_topology.validators.engine.examples import ORDERS_BLOCK, changed, orders_with
from kafka_topology.validators.engine.helpers import problem_with
from kafka_topology.validators.engine.rule import Bad, Context, Problem, rule

DOCS = """\
# KT814: maximum-message-lowered

A topic accepts only smaller messages than before.

A producer that worked until now gets RecordTooLargeException for its large records, perhaps once a week, and drops
them. Existing records stay.

Fix: Check the largest records of every producer first, and lower `max.request.size` there as well.
"""


def check(context: Context) -> Iterator[Problem]:
    for _, topic, was, now in context.changes.numbers("max.message.bytes"):
        setting = context.settings.topic(topic, "max.message.bytes")
        if now > was or setting is None:
            continue
        writers = ", ".join(writer.name for writer in context.index.clients.writers_of(topic.name))
        yield problem_with(
            setting,
            topic,
            f"max.message.bytes goes from {format_size(was)} to {format_size(now)}, so larger records"
            f" are refused from now on; expected {format_size(was)}",
            f"make sure that no record of {writers or 'its producers'} is larger than {format_size(now)}, or keep"
            f" {format_size(was)}",
        )


BEFORE = orders_with("config: {max.message.bytes: 5MiB}")

GOOD = (changed(BEFORE, {"max.message.bytes: 5MiB": "max.message.bytes: 8MiB"}),)
BAD = (
    Bad(changed(BEFORE, {"max.message.bytes: 5MiB": "max.message.bytes: 1MiB"}), line=3, column=71),
    Bad(ORDERS_BLOCK, line=3, column=3),
)

RULE = rule(
    DOCS,
    Severity.WARNING,
    check,
    GOOD,
    BAD,
    before=BEFORE,
    changed=("topic.config.max.message.bytes",),
    requirements=("R17",),
)
