from __future__ import annotations

from collections.abc import Iterator

from ...topology.findings import Severity
from ..helpers import place_of, related, shown
from ..rule import Bad, Context, Problem, Rule
from ..storage import Storage


def check(context: Context) -> Iterator[Problem]:
    storage = Storage(context)
    for topic in context.topology.topics.values():
        if storage.segment_bytes(topic) <= storage.retention_bytes(topic) or not storage.deletes(topic):
            continue
        segment = context.settings.topic(topic, "segment.bytes")
        retention = context.settings.topic(topic, "retention.bytes")
        if segment is None or retention is None:
            continue
        yield Problem(
            f"{topic.name}: segment.bytes is {shown(segment)}, above retention.bytes of {shown(retention)}, so a"
            f" partition keeps more than that; expected at most {shown(retention)}",
            place_of(segment, topic),
            topic.name,
            "set segment.bytes to a fraction of retention.bytes",
            related(retention, "retention is set here"),
        )


RULE = Rule(
    id="KT304",
    name="segment-larger-than-retention",
    severity=Severity.WARNING,
    summary="`segment.bytes` is above `retention.bytes`.",
    why="""\
Retention by size deletes whole closed segments, and never so many that less than the limit would stay. With segments
larger than the limit, a partition holds up to a whole segment more than was planned for its disk.""",
    fix="Set `segment.bytes` to a fraction of `retention.bytes`. Both count for each partition.",
    requirements=("R27",),
    check=check,
    good=(
        """\
version: 1
topics:
  orders: {partitions: 6, replication: 3, config: {retention.bytes: 10GiB, segment.bytes: 1GiB}}
""",
    ),
    bad=(
        Bad(
            """\
version: 1
topics:
  orders: {partitions: 6, replication: 3, config: {retention.bytes: 100MiB, segment.bytes: 200MiB}}
""",
            line=3,
            column=92,
        ),
        Bad(
            """\
version: 1
cluster: {defaults: {log.segment.bytes: 1GiB}}
topics:
  orders: {partitions: 6, replication: 3, config: {retention.bytes: 100MiB}}
""",
            line=2,
            column=41,
        ),
    ),
)
