from __future__ import annotations

import math
from collections.abc import Iterator

from kafka_topology.topology.model.findings import Severity
from kafka_topology.topology.model.units import format_duration, format_rate
from kafka_topology.topology.model.words import counted
from kafka_topology.validators.engine.examples import ORDERS_BLOCK
from kafka_topology.validators.engine.helpers import problem_with, roughly, shown
from kafka_topology.validators.engine.rule import Bad, Context, Problem, rule
from kafka_topology.validators.facts.storage import Storage, declared_rate

DOCS = """\
# KT310: segments-never-roll

At the declared load, a segment does not fill up before its records should be deleted.

Kafka deletes closed segments one by one. If neither size nor time closes a segment within the retention, records stay
much longer than promised and are then deleted all at once. Small segments suit rare, small messages; large ones suit
heavy traffic.

Fix: Set `segment.ms` to a fraction of `retention.ms`, or lower `segment.bytes`.
"""


def check(context: Context) -> Iterator[Problem]:
    storage = Storage(context)
    for topic in context.topology.topics.values():
        if topic.throughput is None:
            continue
        full_after, kept = storage.fill_ms(topic), storage.retention_ms(topic)
        if full_after is None or full_after <= kept or storage.segment_ms(topic) < kept or kept == math.inf:
            continue
        segment = context.settings.topic(topic, "segment.bytes")
        rate = declared_rate(topic)
        if segment is None or rate is None or not storage.deletes(topic):
            continue
        yield problem_with(
            segment,
            topic,
            f"at {format_rate(rate)} over {counted(topic.partitions, 'partition')}, a segment of"
            f" {shown(segment)} takes {roughly(full_after)} to fill, longer than the retention of"
            f" {format_duration(int(kept))}; expected segments that close within it",
            "set segment.ms to a fraction of the retention, or use smaller segments",
        )


GOOD = (
    ORDERS_BLOCK
    + """\
    throughput: {average: 1KB/s}
    retention: 7d
    config: {segment.ms: 1d}
  clicks: {partitions: 6, replication: 3, throughput: {average: 60MB/s}, retention: 7d}
""",
)
BAD = (
    Bad(
        ORDERS_BLOCK + "    throughput: {average: 1KB/s}\n    retention: 7d\n    config: {segment.bytes: 500MiB}\n",
        line=8,
        column=29,
    ),
    Bad(
        """\
version: 1
profiles:
  event: {replication: 3, retention: 7d}
topics:
  orders:
    profile: event
    partitions: 6
    throughput: {average: 1KB/s}
""",
        line=5,
        column=3,
    ),
)

RULE = rule(DOCS, Severity.ADVICE, check, GOOD, BAD, requirements=("R27", "R28"))
