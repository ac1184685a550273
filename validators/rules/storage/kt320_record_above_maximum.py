from __future__ import annotations

from collections.abc import Iterator, Sequence

from kafka_topology.topology.model.declared import Topic
from kafka_topology.topology.model.findings import Severity
from kafka_topology.topology.model.units import format_size
from kafka_topology.validators.engine.examples import changed, orders_with
from kafka_topology.validators.engine.helpers import problem_with, shown
from kafka_topology.validators.engine.rule import Bad, Context, Problem, rule
from kafka_topology.validators.facts.client_roles import Writer

DOCS = """\
# KT320: record-above-maximum

The records of a topic are larger than the topic or its producer accepts.

A producer refuses a record above its own `max.request.size`, before it compresses it. A broker refuses a batch above
the topic's `max.message.bytes`, after compression. `recordSize` is the size of a *typical* record, so nearly every
record is refused. If the producers compress, or none is declared, the broker may accept the records: then the finding
about `max.message.bytes` is a warning.

Fix: Raise the limit that the message names, or store large values elsewhere and send a reference to them.
"""


def check(context: Context) -> Iterator[Problem]:
    size_of = context.index.topic_number("max.message.bytes")
    for topic in context.topology.topics.values():
        size = topic.throughput.record_size if topic.throughput is not None else None
        if size is None:
            continue
        writers = context.index.clients.writers_of(topic.name)
        most = size_of(topic)
        if most is not None and size > most:
            yield from _topic_problem(context, topic, size, certain=_sends_plain(context, topic, writers))
        for writer in writers:
            if size > (writer.number("max.request.size") or size):
                yield from _writer_problem(writer, topic, size)


def _sends_plain(context: Context, topic: Topic, writers: Sequence[Writer]) -> bool:
    """Whether somebody is known to write records that nobody compresses."""
    kind = context.settings.topic(topic, "compression.type")
    if kind is not None and kind.value not in ("producer", "uncompressed"):
        return False
    return any(writer.value("compression.type") in (None, "none") for writer in writers)


def _topic_problem(context: Context, topic: Topic, size: int, *, certain: bool) -> Iterator[Problem]:
    limit = context.settings.topic(topic, "max.message.bytes")
    if limit is None:
        return
    at = limit.place if limit.is_declared else topic.place("throughput", "recordSize")
    unless = "" if certain else " unless they are compressed"
    yield Problem(
        f"{topic.name}: recordSize is {format_size(size)}, above max.message.bytes of {shown(limit)}, so the brokers"
        f" refuse its records{unless}; expected at most that",
        at,
        topic.name,
        "raise max.message.bytes (and the limits of producers and readers), or send a reference instead of the value",
        severity=None if certain else Severity.WARNING,
    )


def _writer_problem(writer: Writer, topic: Topic, size: int) -> Iterator[Problem]:
    limit = writer.setting("max.request.size")
    if limit is not None:
        yield problem_with(
            limit,
            writer,
            f"max.request.size is {shown(limit)}, below the recordSize {format_size(size)} of {topic.name}, so it"
            f" refuses these records before it sends them; expected at least {size} bytes",
            f"raise max.request.size above {size}, or send a reference instead of the value",
        )


EXAMPLE = (
    orders_with("throughput: {recordSize: 2MiB}, config: {max.message.bytes: 5MiB}")
    + "producers:\n  scanner: {topics: [orders], config: {max.request.size: 5242880}}\n"
)

GOOD = (EXAMPLE,)
BAD = (
    Bad(changed(EXAMPLE, {"max.message.bytes: 5MiB": "max.message.bytes: 1MiB"}), line=3, column=103),
    Bad(changed(EXAMPLE, {"max.request.size: 5242880": "linger.ms: 5"}), line=5, column=12),
    Bad(orders_with("throughput: {recordSize: 2MiB}"), line=3, column=68),
)

RULE = rule(DOCS, Severity.ERROR, check, GOOD, BAD, requirements=("R17", "R27"))
