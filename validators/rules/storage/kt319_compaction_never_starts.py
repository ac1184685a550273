from __future__ import annotations

from collections.abc import Iterator

from kafka_topology.topology.model.findings import Severity
from kafka_topology.topology.model.units import format_duration
from kafka_topology.validators.engine.examples import changed
from kafka_topology.validators.engine.helpers import NO_LIMIT, problem_with, roughly, shown
from kafka_topology.validators.engine.rule import Bad, Context, Option, Problem, rule
from kafka_topology.validators.facts.storage import Storage

RATIO = "min.cleanable.dirty.ratio"
YOUNG = "min.compaction.lag.ms"
_NEARLY_ALL = 0.99
DOCS = """\
# KT319: compaction-never-starts

The segments of a compacted topic are hardly ever closed, so nothing is compacted.

Compaction never touches the segment that is being written. It is closed when it is full, or when it is as old as
`segment.ms` or `max.compaction.lag.ms`. If all of them take months, the topic keeps every old value and every
tombstone: readers load all of it at each start, and data that was deleted on request is still there. If a declared
load fills segments sooner, the rule reports nothing.

A log is compacted when more than `min.cleanable.dirty.ratio` of it was written since the last time. With 1, that is
never: only `max.compaction.lag.ms` starts it then. Records younger than `min.compaction.lag.ms` are not compacted: if
that is longer than the option allows, or longer than the retention of a topic that is also deleted, none is in time.

Fix: Set `segment.ms` (or `max.compaction.lag.ms`) to a day or a few, and leave `min.cleanable.dirty.ratio` at 0.5.
"""


def check(context: Context) -> Iterator[Problem]:
    storage = Storage(context)
    lag_of = context.index.topic_number("max.compaction.lag.ms")
    longest = context.amount("longest")
    yield from _never_dirty(context, storage)
    yield from _never_old_enough(context, storage, longest)
    for topic in context.topology.topics.values():
        closed_after = min(storage.segment_ms(topic), lag_of(topic) or NO_LIMIT)
        if closed_after <= longest or not storage.compacts(topic):
            continue
        full_after = storage.fill_ms(topic)
        if full_after is not None and full_after <= longest:
            continue
        segment = context.settings.topic(topic, "segment.ms")
        if segment is None:
            continue
        fills = f", and at the declared load a segment fills in {roughly(full_after)}" if full_after else ""
        most = format_duration(longest)
        yield problem_with(
            segment,
            topic,
            f"segment.ms is {shown(segment)} on a compacted topic{fills}, so old values and tombstones are not"
            f" removed; expected at most {most}",
            "set segment.ms to 1d or a few days, or set max.compaction.lag.ms",
        )


def _never_dirty(context: Context, storage: Storage) -> Iterator[Problem]:
    """No log has more than this share of dirty records, or hardly any."""
    ratio_of, lag_of = context.index.topic_text(RATIO), context.index.topic_number("max.compaction.lag.ms")
    for topic in context.topology.topics.values():
        if not storage.compacts(topic) or (lag_of(topic) or NO_LIMIT) < NO_LIMIT or not _is_all(ratio_of(topic)):
            continue
        ratio = context.settings.topic(topic, RATIO)
        if ratio is not None:
            yield problem_with(
                ratio,
                topic,
                f"{RATIO} is {ratio.value} on a compacted topic, so the cleaner never takes it; expected less, such as"
                " 0.5",
                f"set {RATIO} to 0.5, or set max.compaction.lag.ms",
            )


def _never_old_enough(context: Context, storage: Storage, longest: int) -> Iterator[Problem]:
    young_of = context.index.topic_number(YOUNG)
    for topic in context.topology.topics.values():
        young = young_of(topic) or 0
        most = min(longest, storage.retention_ms(topic)) if storage.deletes(topic) else longest
        if young <= most or not storage.compacts(topic):
            continue
        lag = context.settings.topic(topic, YOUNG)
        if lag is not None:
            yield problem_with(
                lag,
                topic,
                f"{YOUNG} is {shown(lag)} on a compacted topic, so old values and tombstones stay that long or until"
                f" they are deleted; expected at most {format_duration(int(most))}",
                f"lower {YOUNG}, or remove it",
            )


def _is_all(ratio: str | None) -> bool:
    try:
        return float(ratio or "0") >= _NEARLY_ALL
    except ValueError:
        return False  # KT302 reports it


EXAMPLE = """\
version: 1
topics:
  prices:
    partitions: 6
    replication: 3
    key: {type: string}
    config: {cleanup.policy: compact, segment.ms: 1d}
"""
OPTIONS = (Option("longest", "30d", "Segments that stay open for longer count as never closed.", measure="duration"),)

GOOD = (
    EXAMPLE,
    changed(EXAMPLE, {"segment.ms: 1d": "min.cleanable.dirty.ratio: 1.0, max.compaction.lag.ms: 7d"}),
    changed(EXAMPLE, {"segment.ms: 1d": "segment.ms: 365d, max.compaction.lag.ms: 7d"}),
    changed(EXAMPLE, {"segment.ms: 1d": "segment.ms: 365d", "key:": "throughput: {average: 6MB/s}\n    key:"}),
)
BAD = (
    Bad(changed(EXAMPLE, {"segment.ms: 1d": "segment.ms: 365d"}), line=7, column=51),
    Bad(
        changed(EXAMPLE, {"segment.ms: 1d": "segment.ms: 365d", "key:": "throughput: {average: 10B/s}\n    key:"}),
        line=8,
        column=51,
    ),
    Bad(changed(EXAMPLE, {"segment.ms: 1d": "min.cleanable.dirty.ratio: 1.0"}), line=7, column=66),
    Bad(changed(EXAMPLE, {"segment.ms: 1d": "min.compaction.lag.ms: 3650d"}), line=7, column=62),
    Bad(
        changed(EXAMPLE, {"compact, segment.ms: 1d": '"compact,delete", retention.ms: 1h, min.compaction.lag.ms: 1d'}),
        line=7,
        column=89,
    ),
    Bad(EXAMPLE + "rules:\n  KT319: {longest: 12h}\n", line=7, column=51),
)

RULE = rule(DOCS, Severity.WARNING, check, GOOD, BAD, options=OPTIONS, requirements=("R12", "R27"))
