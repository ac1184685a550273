from __future__ import annotations

from collections.abc import Iterator

from kafka_topology.topology.model.findings import Severity
from kafka_topology.topology.model.units import format_size
from kafka_topology.validators.engine.examples import ORDERS_BLOCK, on_cluster, orders_with
from kafka_topology.validators.engine.helpers import problem_with, related, shown
from kafka_topology.validators.engine.rule import Bad, Context, Problem, rule
from kafka_topology.validators.facts.storage import Storage

DOCS = """\
# KT304: segment-larger-than-retention

`segment.bytes` is above `retention.bytes`.

Retention by size deletes whole closed segments, but never so many that less than the limit would remain. With
segments larger than the limit, a partition uses up to a whole segment more disk than planned. Kafka 4 accepts no
segments below 1 MiB: a `retention.bytes` below that cannot be kept. KT324 reports a `retention.bytes` of 0.

Fix: Set `segment.bytes` to a fraction of `retention.bytes`. Both apply to each partition.
"""

LEAST = 2**20  # the smallest segment.bytes of Kafka 4


def check(context: Context) -> Iterator[Problem]:
    storage = Storage(context)
    for topic in context.topology.topics.values():
        if storage.segment_bytes(topic) <= storage.retention_bytes(topic) or not storage.deletes(topic):
            continue
        segment = context.settings.topic(topic, "segment.bytes")
        retention = context.settings.topic(topic, "retention.bytes")
        if segment is None or retention is None:
            continue
        if not retention.number:
            continue  # KT324 reports it
        if retention.number < LEAST:
            yield problem_with(
                retention,
                topic,
                f"retention.bytes is {shown(retention)}, less than the smallest segment, and Kafka deletes only whole"
                f" segments; expected at least {format_size(LEAST)}",
                "raise retention.bytes, or limit the topic with retention.ms",
                related=related(segment, "segment.bytes is set here"),
            )
            continue
        yield problem_with(
            segment,
            topic,
            f"segment.bytes is {shown(segment)}, above retention.bytes of {shown(retention)}, so"
            f" a partition keeps more than that; expected at most {shown(retention)}",
            "set segment.bytes to a fraction of retention.bytes",
            related=related(retention, "retention is set here"),
        )


GOOD = (orders_with("config: {retention.bytes: 10GiB, segment.bytes: 1GiB}"),)
BAD = (
    Bad(orders_with("config: {retention.bytes: 100MiB, segment.bytes: 200MiB}"), line=3, column=92, needs_whole=True),
    Bad(
        on_cluster("defaults: {log.segment.bytes: 1GiB}", orders_with("config: {retention.bytes: 100MiB}")),
        line=2,
        column=41,
        needs_whole=True,
    ),
    Bad(
        ORDERS_BLOCK + "    config: {cleanup.policy: delete, retention.bytes: 100MiB, segment.bytes: 200MiB}\n",
        line=6,
        column=78,
    ),
    Bad(
        ORDERS_BLOCK + "    config: {cleanup.policy: delete, retention.bytes: 64KiB, segment.bytes: 1MiB}\n",
        line=6,
        column=55,
    ),
)

RULE = rule(DOCS, Severity.WARNING, check, GOOD, BAD, requirements=("R27",), judges_parts=True)
