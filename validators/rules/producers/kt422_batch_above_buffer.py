from __future__ import annotations

from collections.abc import Iterator

from kafka_topology.topology.kafka.clients.libraries import library_of
from kafka_topology.topology.kafka.effective import Setting
from kafka_topology.topology.model.findings import Severity
from kafka_topology.topology.model.units import format_size
from kafka_topology.validators.engine.examples import CHECKOUT, ORDERS, SUMMING, changed
from kafka_topology.validators.engine.helpers import place_of, related, shown
from kafka_topology.validators.engine.rule import Bad, Context, Problem, rule
from kafka_topology.validators.facts.client_roles import Writer

DOCS = """\
# KT422: batch-above-buffer

A producer's batches are larger than the memory that it has for them.

A Java producer takes `batch.size` bytes of its `buffer.memory` (32 MiB by default) for each new batch. If one batch is
larger than the whole memory, every send fails with an IllegalArgumentException. Producers of Kafka Streams take both
settings with or without the prefix `producer.`. A record that is larger than the memory cannot be sent either; a
`max.request.size` above it promises room that there is not. Other libraries do not reserve a batch, so the
rule skips them.

Fix: Lower `batch.size`, or raise `buffer.memory` to several batches for each partition that is written.
"""


def check(context: Context) -> Iterator[Problem]:
    for writer in context.index.clients.senders:
        library = library_of(writer.declared)
        if library is not None and not library.has_java_names:
            continue
        batch, memory = writer.setting("batch.size"), writer.setting("buffer.memory")
        if batch is None or memory is None or batch.number is None or memory.number is None:
            continue
        if batch.number <= memory.number:
            yield from _large_record(context, writer, memory)
            continue
        at = batch if batch.is_declared else memory
        yield Problem(
            f"{writer.name}: batch.size is {shown(batch)}, above buffer.memory of {shown(memory)}, so every send fails;"
            f" expected at most {format_size(memory.number)}",
            place_of(at, writer.declared),
            writer.name,
            "lower batch.size, or raise buffer.memory to several batches for each partition",
            related(memory, "the memory for all batches") if at is batch else (),
        )


def _large_record(context: Context, writer: Writer, memory: Setting) -> Iterator[Problem]:
    """A record needs memory for itself, however small a batch is."""
    least = memory.number or 0
    for name in writer.topics:
        topic = context.topology.topics.get(name)
        size = topic.throughput.record_size if topic is not None and topic.throughput is not None else None
        if size is not None and size > least:
            yield Problem(
                f"{writer.name}: recordSize of {name} is {format_size(size)}, above buffer.memory of {shown(memory)},"
                " so it cannot send its records; expected at least that memory",
                place_of(memory, writer.declared),
                writer.name,
                f"raise buffer.memory above {format_size(size)}, to several records for each partition",
            )
            return
    request = writer.setting("max.request.size")
    if request is not None and request.is_declared and (request.number or 0) > least:
        yield Problem(
            f"{writer.name}: max.request.size is {shown(request)}, above buffer.memory of {shown(memory)}, so it allows"
            f" records for which there is no memory; expected at most {format_size(least)}",
            place_of(request, writer.declared),
            writer.name,
            "raise buffer.memory above max.request.size, or lower max.request.size",
            related(memory, "the memory for all batches"),
            severity=Severity.WARNING,
        )


EXAMPLE = ORDERS + CHECKOUT + "    config: {batch.size: 1MiB}\n"

GOOD = (
    EXAMPLE,
    ORDERS + CHECKOUT + "    config: {batch.size: 64MiB, buffer.memory: 256MiB}\n",
    ORDERS + CHECKOUT + "    config: {max.request.size: 20MiB}\n",
    ORDERS + CHECKOUT + "    library: librdkafka\n    config: {batch.size: 64MiB, queue.buffering.max.kbytes: 32MiB}\n",
)
BAD = (
    Bad(changed(EXAMPLE, {"1MiB": "64MiB"}), line=7, column=26),
    Bad(changed(EXAMPLE, {"batch.size: 1MiB": "buffer.memory: 8KiB"}), line=7, column=29),
    Bad(ORDERS + SUMMING + "    config: {producer.batch.size: 64MiB}\n", line=9, column=35),
    Bad(ORDERS + "streams:\n  summing: {reads: [orders], config: {batch.size: 64MiB}}\n", line=5, column=51),
    Bad(ORDERS + CHECKOUT + "    config: {max.request.size: 40MiB}\n", line=7, column=32),
    Bad(
        changed(ORDERS, {"replication: 3": "replication: 3, throughput: {peak: 90MB/s, recordSize: 40MiB}"})
        + CHECKOUT
        + "    config: {max.request.size: 80MiB, buffer.memory: 32MiB}\n",
        line=7,
        column=54,
    ),
)

RULE = rule(DOCS, Severity.ERROR, check, GOOD, BAD, requirements=("R17", "R23"))
