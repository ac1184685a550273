from __future__ import annotations

import math
from collections.abc import Iterator

from ...topology.findings import Severity
from ...topology.units import format_duration, format_rate
from ..helpers import counted, place_of, roughly, shown
from ..rule import Bad, Context, Problem, Rule
from ..storage import Storage, declared_rate


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
        yield Problem(
            f"{topic.name}: at {format_rate(rate)} over {counted(topic.partitions, 'partition')}, a segment of"
            f" {shown(segment)} takes {roughly(full_after)} to fill, longer than the retention of"
            f" {format_duration(int(kept))}; expected segments that are closed within it",
            place_of(segment, topic),
            topic.name,
            "set segment.ms to a fraction of the retention, or use smaller segments",
        )


RULE = Rule(
    id="KT310",
    name="segments-never-roll",
    severity=Severity.ADVICE,
    summary="At the declared load, a segment is not full before its records should be gone.",
    why="""\
Only closed segments are deleted a part at a time. When neither size nor time closes a segment within the retention,
records stay much longer than promised, and then go all at once. Small segments suit rare, small messages; large ones
suit heavy traffic.""",
    fix="Set `segment.ms` to a fraction of `retention.ms`, or lower `segment.bytes`.",
    requirements=("R27", "R28"),
    check=check,
    good=(
        """\
version: 1
topics:
  orders:
    partitions: 6
    replication: 3
    throughput: {average: 1KB/s}
    retention: 7d
    config: {segment.ms: 1d}
  clicks: {partitions: 6, replication: 3, throughput: {average: 60MB/s}, retention: 7d}
""",
    ),
    bad=(
        Bad(
            """\
version: 1
topics:
  orders:
    partitions: 6
    replication: 3
    throughput: {average: 1KB/s}
    retention: 7d
    config: {segment.bytes: 500MiB}
""",
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
    ),
)
