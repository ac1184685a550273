from __future__ import annotations

import math
from collections.abc import Iterator

from ...topology.findings import Severity
from ...topology.model import Topic
from ..helpers import place_of, shown
from ..rule import Bad, Context, Option, Problem, Rule
from ..storage import Storage, partition_rate


def check(context: Context) -> Iterator[Problem]:
    storage = Storage(context)
    most = context.number("max")
    for topic in context.topology.topics.values():
        count, key = _segments(topic, storage)
        if count <= most or storage.compacts(topic) or not storage.deletes(topic):
            continue
        setting = context.settings.topic(topic, key)
        if setting is not None:
            yield Problem(
                f"{topic.name}: {key} is {shown(setting)}, so each partition keeps about {int(count)} segments open;"
                f" expected at most {most}",
                place_of(setting, topic),
                topic.name,
                f"raise {key}, or lower the retention",
            )


def _segments(topic: Topic, storage: Storage) -> tuple[float, str]:
    """How many segments a partition keeps on a broker, as far as the file tells, and what makes them so many."""
    segment_ms, segment_bytes = storage.segment_ms(topic), storage.segment_bytes(topic)
    kept_ms, kept_bytes = storage.local_ms(topic), storage.local_bytes(topic)
    rate = partition_rate(topic)
    if rate:
        full_after = segment_bytes * 1000 / rate
        kept = min(kept_ms, kept_bytes * 1000 / rate)
        if kept == math.inf:
            return 0, ""  # it grows for ever, which KT305 speaks of
        return kept / min(segment_ms, full_after), "segment.ms" if segment_ms < full_after else "segment.bytes"
    by_time = kept_ms / segment_ms if kept_ms < math.inf else math.inf
    by_size = kept_bytes / segment_bytes if kept_bytes < math.inf else math.inf
    count = min(by_time, by_size)
    if count == math.inf:
        return 0, ""
    return count, "segment.ms" if by_time <= by_size else "segment.bytes"


RULE = Rule(
    id="KT311",
    name="too-many-segments",
    severity=Severity.WARNING,
    summary="A partition keeps more than 1,000 segments open.",
    why="""\
A broker holds every segment of every partition open, each with its log and its index files. Thousands of tiny segments
use up file handles and memory maps, and make a restart slow. Small segments are for rare, small messages.""",
    fix="Raise `segment.ms` or `segment.bytes`, so that a partition keeps some dozens of segments.",
    requirements=("R28",),
    options=(Option("max", 1000, "How many segments one partition may keep."),),
    check=check,
    good=(
        """\
version: 1
topics:
  orders: {partitions: 6, replication: 3, retention: 7d, config: {segment.ms: 1h}}
""",
    ),
    bad=(
        Bad(
            """\
version: 1
topics:
  orders: {partitions: 6, replication: 3, retention: 7d, config: {segment.ms: 1m}}
""",
            line=3,
            column=79,
        ),
        Bad(
            """\
version: 1
profiles:
  event: {replication: 3, retention: 7d, config: {segment.bytes: 1MiB}}
topics:
  orders: {profile: event, partitions: 6, throughput: {average: 6MB/s}}
""",
            line=3,
            column=66,
        ),
        Bad(
            """\
version: 1
topics:
  orders:
    partitions: 6
    replication: 3
    retention: forever
    config: {retention.bytes: 10GiB, segment.bytes: 1MiB}
""",
            line=7,
            column=53,
        ),
    ),
)
