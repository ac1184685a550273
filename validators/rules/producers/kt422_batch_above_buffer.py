from __future__ import annotations

from collections.abc import Iterator

from kafka_topology.topology.kafka.clients.libraries import library_of
from kafka_topology.topology.model.findings import Severity
from kafka_topology.topology.model.units import format_size
from kafka_topology.validators.engine.examples import CHECKOUT, ORDERS, SUMMING, changed
from kafka_topology.validators.engine.helpers import place_of, related, shown
from kafka_topology.validators.engine.rule import Bad, Context, Problem, rule

DOCS = """\
# KT422: batch-above-buffer

A producer's batches are larger than the memory that it has for them.

A Java producer takes `batch.size` bytes of its `buffer.memory` (32 MiB by default) for each new batch. If one batch is
larger than the whole memory, every send fails with an IllegalArgumentException. Producers of Kafka Streams take both
settings with or without the prefix `producer.`. Other libraries do not reserve a batch, so the rule skips them.

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


EXAMPLE = ORDERS + CHECKOUT + "    config: {batch.size: 1MiB}\n"

GOOD = (
    EXAMPLE,
    ORDERS + CHECKOUT + "    config: {batch.size: 64MiB, buffer.memory: 256MiB}\n",
    ORDERS + CHECKOUT + "    library: librdkafka\n    config: {batch.size: 64MiB, queue.buffering.max.kbytes: 32MiB}\n",
)
BAD = (
    Bad(changed(EXAMPLE, {"1MiB": "64MiB"}), line=7, column=26),
    Bad(changed(EXAMPLE, {"batch.size: 1MiB": "buffer.memory: 8KiB"}), line=7, column=29),
    Bad(ORDERS + SUMMING + "    config: {producer.batch.size: 64MiB}\n", line=9, column=35),
    Bad(ORDERS + "streams:\n  summing: {reads: [orders], config: {batch.size: 64MiB}}\n", line=5, column=51),
)

RULE = rule(DOCS, Severity.ERROR, check, GOOD, BAD, requirements=("R17", "R23"))
