from __future__ import annotations

from collections.abc import Iterator

from kafka_topology.topology.model.findings import Severity
from kafka_topology.topology.model.units import format_duration
from kafka_topology.validators.engine.examples import orders_with
from kafka_topology.validators.engine.helpers import problem_with, related, shown
from kafka_topology.validators.engine.rule import Bad, Context, Problem, rule
from kafka_topology.validators.facts.storage import Storage

DOCS = """\
# KT303: segment-outlives-retention

`segment.ms` is above `retention.ms`.

Retention deletes whole segments, and the segment being written only once its *newest* record is too old. A segment
that stays open for seven days keeps records for seven days or more, however short the declared retention is. If a
declared load fills segments sooner, the rule reports nothing.

Fix: Set `segment.ms` to `retention.ms` or less.
"""


def check(context: Context) -> Iterator[Problem]:
    storage = Storage(context)
    for topic in context.topology.topics.values():
        kept = storage.retention_ms(topic)
        if storage.segment_ms(topic) <= kept or not storage.deletes(topic):
            continue
        full_after = storage.fill_ms(topic)
        if full_after is not None and full_after <= kept:
            continue  # at the declared load, their size closes segments before that
        segment = context.settings.topic(topic, "segment.ms")
        retention = context.settings.topic(topic, "retention.ms")
        if segment is None or retention is None:
            continue
        yield problem_with(
            segment,
            topic,
            f"segment.ms is {shown(segment)}, above retention.ms of {shown(retention)}, so"
            f" records stay until their segment is closed; expected at most {format_duration(int(kept))}",
            f"set segment.ms to at most {format_duration(int(kept))}; a fraction of it deletes more evenly",
            edit=format_duration(int(kept)) if kept else None,
            related=related(retention, "retention is set here"),
        )


GOOD = (
    orders_with("retention: 1d, config: {segment.ms: 6h}")
    + """\
  clicks: {partitions: 6, replication: 3, retention: 1d, throughput: {average: 60MB/s}}
""",
)
BAD = (
    Bad(orders_with("retention: 1d, config: {segment.ms: 2d}"), line=3, column=79),
    Bad(
        """\
version: 1
profiles:
  event: {replication: 3, retention: 1d}
topics:
  orders:
    profile: event
    partitions: 6
""",
        line=5,
        column=3,
    ),
)

RULE = rule(DOCS, Severity.WARNING, check, GOOD, BAD, requirements=("R27",))
