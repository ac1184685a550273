from __future__ import annotations

from collections.abc import Iterator

from ...topology.findings import Severity
from ...topology.units import format_duration
from ..helpers import own_edit, place_of, related, shown
from ..rule import Bad, Context, Problem, Rule
from ..storage import Storage


def check(context: Context) -> Iterator[Problem]:
    storage = Storage(context)
    for topic in context.topology.topics.values():
        kept = storage.retention_ms(topic)
        if storage.segment_ms(topic) <= kept or not storage.deletes(topic):
            continue
        full_after = storage.fill_ms(topic)
        if full_after is not None and full_after <= kept:
            continue  # at the declared load, segments are closed by their size before that
        segment = context.settings.topic(topic, "segment.ms")
        retention = context.settings.topic(topic, "retention.ms")
        if segment is None or retention is None:
            continue
        yield Problem(
            f"{topic.name}: segment.ms is {shown(segment)}, above retention.ms of {shown(retention)}, so records stay"
            f" until their segment is closed; expected at most {format_duration(int(kept))}",
            place_of(segment, topic),
            topic.name,
            f"set segment.ms to at most {format_duration(int(kept))}; a fraction of it deletes more evenly",
            related(retention, "retention is set here"),
            own_edit(segment, format_duration(int(kept))) if kept else (),
        )


RULE = Rule(
    id="KT303",
    name="segment-outlives-retention",
    severity=Severity.WARNING,
    summary="`segment.ms` is above `retention.ms`.",
    why="""\
Retention deletes whole segments, and a segment that is written to only when its *newest* record is too old. A segment
that stays open for seven days keeps records for seven days and more, whatever shorter retention was promised. Where a
declared load fills segments sooner, the rule is silent.""",
    fix="Set `segment.ms` to `retention.ms` or less.",
    requirements=("R27",),
    check=check,
    good=(
        """\
version: 1
topics:
  orders: {partitions: 6, replication: 3, retention: 1d, config: {segment.ms: 6h}}
  clicks: {partitions: 6, replication: 3, retention: 1d, throughput: {average: 60MB/s}}
""",
    ),
    bad=(
        Bad(
            """\
version: 1
topics:
  orders: {partitions: 6, replication: 3, retention: 1d, config: {segment.ms: 2d}}
""",
            line=3,
            column=79,
        ),
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
    ),
)
