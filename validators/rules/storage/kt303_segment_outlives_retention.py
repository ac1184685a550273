from __future__ import annotations

import math
from collections.abc import Iterator

from kafka_topology.topology.model.declared import Topic
from kafka_topology.topology.model.findings import Severity
from kafka_topology.topology.model.units import format_duration, format_rate
from kafka_topology.topology.model.words import counted
from kafka_topology.validators.engine.examples import ORDERS_BLOCK, PRICES_BLOCK, orders_with
from kafka_topology.validators.engine.helpers import problem_with, related, roughly, shown
from kafka_topology.validators.engine.rule import Bad, Context, Problem, rule
from kafka_topology.validators.facts.storage import Storage, declared_rate

DOCS = """\
# KT303: segment-outlives-retention

Segments are not closed before their records should be deleted.

Retention deletes whole segments, and the segment being written only once its *newest* record is too old. A segment
that stays open for seven days keeps records for seven days or more, however short the declared retention is, and
deletes them all at once. `segment.ms` closes a segment, and so does its size, `segment.bytes`, if the declared load
fills it. On a topic that is also compacted, `max.compaction.lag.ms` closes it, too. If `segment.ms` equals the
retention, as Kafka's defaults do, the rule reports only a topic whose declared load shows that its size does not close
segments sooner: an advice.

A very short segment is worse than a long one: brokers look for segments to delete only every
`log.retention.check.interval.ms`, 5 minutes by default, and until then each closed segment keeps its files and memory
maps. The rule never asks for segments that are shorter than that.

Fix: Set `segment.ms` to a fraction of `retention.ms`, but to no less than the time between two checks. With a quarter,
records stay at most a quarter longer than the retention.
"""

# Records stay at most this part of the retention longer.
ROOM = 4


def check(context: Context) -> Iterator[Problem]:
    storage = Storage(context)
    least = storage.check_ms
    for topic in context.topology.topics.values():
        kept, closed_after = storage.retention_ms(topic), storage.segment_ms(topic)
        full_after = storage.fill_ms(topic)
        if closed_after < kept or closed_after <= least or kept == math.inf or not storage.deletes(topic):
            continue
        if full_after is not None and full_after <= kept:
            continue  # at the declared load, their size closes segments before that
        if closed_after > kept or full_after is not None:
            yield from _problem(context, topic, int(kept), least, full_after, only_equal=closed_after == kept)


def _problem(
    context: Context, topic: Topic, kept: int, least: int, full_after: float | None, *, only_equal: bool
) -> Iterator[Problem]:
    segment = context.settings.topic(topic, "segment.ms")
    retention = context.settings.topic(topic, "retention.ms")
    if segment is None or retention is None:
        return
    room = format_duration(max(least, kept // ROOM))
    rate = declared_rate(topic)
    load = ""
    is_fraction = kept // ROOM >= least
    expected = (
        f"a fraction, such as {room}" if is_fraction else f"{room}, as often as the brokers look for old segments"
    )
    if full_after is not None and rate is not None:
        load = (
            f" (at {format_rate(rate)} over {counted(topic.partitions, 'partition')}, a segment takes"
            f" {roughly(full_after)} to fill)"
        )
    yield problem_with(
        segment,
        topic,
        f"segment.ms is {shown(segment)}, {'as long as' if only_equal else 'above'} retention.ms of {shown(retention)},"
        f" so records stay until their segment is closed{load}; expected {expected}",
        f"set segment.ms to {room}{' or less' if is_fraction else ''}, so that records are deleted evenly",
        edit=room,
        related=related(retention, "retention is set here"),
        severity=Severity.ADVICE if only_equal else None,
    )


RARE = "    throughput: {average: 1KB/s}\n    retention: 7d\n"

GOOD = (
    orders_with("retention: 1d, config: {segment.ms: 6h}")
    + """\
  clicks: {partitions: 6, replication: 3, retention: 1d, throughput: {average: 60MB/s}}
""",
    ORDERS_BLOCK + RARE + "    config: {segment.ms: 1d}\n",
    orders_with("retention: 2s, config: {segment.ms: 5m}"),
    PRICES_BLOCK
    + """\
    key: {type: string}
    retention: 1d
    config: {cleanup.policy: "compact,delete", max.compaction.lag.ms: 1h}
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
    Bad(ORDERS_BLOCK + RARE + "    config: {segment.ms: 7d}\n", line=8, column=26),
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
    Bad(orders_with("retention: 2s, config: {segment.ms: 7d}"), line=3, column=79),
)

RULE = rule(DOCS, Severity.WARNING, check, GOOD, BAD, requirements=("R27", "R28"), replaces=("KT310",))
