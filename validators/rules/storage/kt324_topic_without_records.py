from __future__ import annotations

from collections.abc import Iterator

from kafka_topology.topology.model.declared import Topic
from kafka_topology.topology.model.findings import Severity
from kafka_topology.topology.model.units import format_duration
from kafka_topology.validators.engine.examples import changed, on_cluster, orders_with
from kafka_topology.validators.engine.helpers import problem_with, shown
from kafka_topology.validators.engine.rule import Bad, Context, Problem, rule
from kafka_topology.validators.facts.storage import Storage

DOCS = """\
# KT324: topic-without-records

The settings of a topic let in no record, or keep none.

Kafka creates such a topic without a word, and then refuses what producers send. A batch with one empty record has 68
bytes, so a `max.message.bytes` below that refuses everything (RecordTooLargeException). A producer stamps a record
before it sends it: with a `message.timestamp.before.max.ms` below a second, records are too old when they arrive
(InvalidTimestampException). A `message.timestamp.after.max.ms` below a second refuses the records of a clock that is a
little ahead: a warning. Bounds do not matter with `message.timestamp.type: LogAppendTime`. A `retention.ms` or
`retention.bytes` of 0 keeps nothing but the open segment, so readers miss what was in the others: a warning, because it
is also how people empty a topic for a while.

Fix: Set the value that the message names, or remove it: Kafka's defaults let records in.
"""

SIZE = "max.message.bytes"
SMALLEST = 68  # a batch has 61 bytes, and its only record 7 without key, value and headers
AT_LEAST = 1000
BOUNDS = {
    "message.timestamp.before.max.ms": None,
    "message.timestamp.difference.max.ms": None,  # the setting of 3.x
    "message.timestamp.after.max.ms": Severity.WARNING,
}


def check(context: Context) -> Iterator[Problem]:
    size_of = context.index.topic_number(SIZE)
    type_of = context.index.topic_text("message.timestamp.type")
    bounds = {name: context.index.topic_number(name) for name in BOUNDS}
    storage = Storage(context)
    for topic in context.topology.topics.values():
        size = size_of(topic)
        if size is not None and size < SMALLEST:
            yield from _problem(
                context, topic, SIZE, "the brokers refuse every record", f"at least {SMALLEST}, and usually 1MiB"
            )
        for name, bound_of in bounds.items():
            bound = bound_of(topic)
            if bound is not None and bound < AT_LEAST and type_of(topic) == "CreateTime":
                which = "a clock that is a little ahead" if "after" in name else "every producer"
                expected = f"at least {format_duration(AT_LEAST)}, and usually 1h or more"
                effect = f"the brokers refuse the records of {which}"
                yield from _problem(context, topic, name, effect, expected, severity=BOUNDS[name])
        if not storage.deletes(topic):
            continue
        for name, kept in (
            ("retention.ms", storage.retention_ms(topic)),
            ("retention.bytes", storage.retention_bytes(topic)),
        ):
            if kept == 0:
                effect = "nothing is kept but the open segment of each partition"
                yield from _problem(context, topic, name, effect, "more than 0", severity=Severity.WARNING)


def _problem(
    context: Context, topic: Topic, name: str, effect: str, expected: str, *, severity: Severity | None = None
) -> Iterator[Problem]:
    setting = context.settings.topic(topic, name)
    if setting is not None:
        yield problem_with(
            setting,
            topic,
            f"{name} is {shown(setting)}, so {effect}; expected {expected}",
            f"raise {name}, or remove it",
            severity=severity,
        )


EXAMPLE = on_cluster('kafka: "4.1"', orders_with("config: {max.message.bytes: 1MiB}"))

GOOD = (
    EXAMPLE,
    changed(EXAMPLE, {"max.message.bytes: 1MiB": "message.timestamp.before.max.ms: 1d"}),
    changed(
        EXAMPLE,
        {"max.message.bytes: 1MiB": "message.timestamp.type: LogAppendTime, message.timestamp.before.max.ms: 0ms"},
    ),
)
BAD = (
    Bad(changed(EXAMPLE, {"1MiB": "0"}), line=4, column=71),
    Bad(changed(EXAMPLE, {"max.message.bytes: 1MiB": "message.timestamp.before.max.ms: 0ms"}), line=4, column=85),
    Bad(changed(EXAMPLE, {"max.message.bytes: 1MiB": "message.timestamp.after.max.ms: 0ms"}), line=4, column=84),
    Bad(changed(EXAMPLE, {"max.message.bytes: 1MiB": "retention.bytes: 0"}), line=4, column=69),
    Bad(changed(EXAMPLE, {"config: {max.message.bytes: 1MiB}": "retention: 0s"}), line=4, column=54),
    Bad(on_cluster("defaults: {message.max.bytes: 0}", orders_with("visibility: private")), line=2, column=41),
)

RULE = rule(DOCS, Severity.ERROR, check, GOOD, BAD, requirements=("R27",))
