from __future__ import annotations

import math
from collections.abc import Iterator

from kafka_topology.topology.model.declared import Topic
from kafka_topology.topology.model.findings import Severity
from kafka_topology.validators.engine.examples import ORDERS_BLOCK, changed, inheriting, orders_with
from kafka_topology.validators.engine.helpers import problem_with, shown
from kafka_topology.validators.engine.rule import Bad, Context, Option, Problem, rule
from kafka_topology.validators.facts.storage import Storage, partition_rate

DOCS = """\
# KT311: too-many-segments

A partition keeps more segments open than the option `max` allows, 1,000 by default.

A broker keeps every segment of every partition open, each with its log and index files. Thousands of tiny segments use
up file handles and memory maps, and slow down a restart. Even with a retention of seconds, closed segments stay until
the brokers look for them, every `log.retention.check.interval.ms` (5 minutes by default). Small segments suit rare,
small messages. A small `segment.index.bytes` has the same effect: Kafka closes a segment when its index is full, with
an entry of 12 bytes for every `index.interval.bytes` of records. A segment has at most 2 GiB: if even that is not
enough for the declared load, only more partitions, less retention or tiered storage help.

Fix: Raise `segment.ms` or `segment.bytes` until a partition keeps a few dozen segments.
"""


LARGEST_SEGMENT = 2**31 - 1


def check(context: Context) -> Iterator[Problem]:
    storage = Storage(context)
    most = context.number("max")
    for topic in context.topology.topics.values():
        count, key = _segments(topic, storage)
        if count <= most or storage.compacts(topic) or not storage.deletes(topic):
            continue
        setting = context.settings.topic(topic, key)
        if setting is not None:
            yield problem_with(
                setting,
                topic,
                f"{key} is {shown(setting)}, so each partition keeps about {int(count)} segments open;"
                f" expected at most {most}",
                _fix(topic, storage, key, count / max(most, 1)),
            )


def _segments(topic: Topic, storage: Storage) -> tuple[float, str]:
    """How many segments a partition keeps on a broker, as far as the file says, and the setting that causes so many."""
    by_index = storage.index_full_bytes(topic)
    segment_ms, segment_bytes = storage.segment_ms(topic), min(storage.segment_bytes(topic), by_index)
    size_key = "segment.bytes" if segment_bytes < by_index else "segment.index.bytes"
    kept_ms, kept_bytes = max(storage.local_ms(topic), storage.check_ms), storage.local_bytes(topic)
    if not segment_ms or not segment_bytes:
        return 0, ""  # Kafka refuses 0, which KT302 reports
    rate = partition_rate(topic)
    if rate:
        full_after = segment_bytes * 1000 / rate
        kept = min(kept_ms, kept_bytes * 1000 / rate)
        if kept == math.inf:
            return 0, ""  # it grows forever, which KT305 reports
        return kept / min(segment_ms, full_after), "segment.ms" if segment_ms < full_after else size_key
    by_time = kept_ms / segment_ms if kept_ms < math.inf else math.inf
    by_size = kept_bytes / segment_bytes if kept_bytes < math.inf else math.inf
    count = min(by_time, by_size)
    if count == math.inf:
        return 0, ""
    return count, "segment.ms" if by_time <= by_size else size_key


def _fix(topic: Topic, storage: Storage, key: str, too_many: float) -> str:
    """`too_many` is how many times more segments there are than there may be."""
    by_load = key == "segment.bytes" and partition_rate(topic) is not None
    if by_load and storage.segment_bytes(topic) * too_many > LARGEST_SEGMENT:
        needed = math.ceil(topic.partitions * too_many * storage.segment_bytes(topic) / LARGEST_SEGMENT)
        return (
            f"no segment.bytes is large enough: use at least {needed} partitions with a segment.bytes of"
            f" {LARGEST_SEGMENT}, lower the retention, or tier the topic"
        )
    return f"raise {key}, or lower the retention"


EXAMPLE = orders_with("retention: 7d, config: {segment.ms: 1h}")

OPTIONS = (Option("max", 1000, "The most segments that one partition may keep."),)
GOOD = (
    EXAMPLE,
    orders_with("retention: 7d, config: {segment.ms: 0}"),
    orders_with("retention: 7d, throughput: {average: 6MB/s}, config: {segment.bytes: 0}"),
)
BAD = (
    Bad(
        orders_with("retention: 7d, config: {segment.ms: 1m}")
        + "  refunds: {partitions: 6, replication: 3, retention: 7d, config: {segment.ms: 0}}\n",
        line=3,
        column=79,
    ),
    Bad(changed(EXAMPLE, {"segment.ms: 1h": "segment.ms: 1m"}), line=3, column=79),
    Bad(
        inheriting(
            "replication: 3, retention: 7d, config: {segment.bytes: 1MiB}",
            "partitions: 6, throughput: {average: 6MB/s}",
        ),
        line=3,
        column=66,
    ),
    Bad(ORDERS_BLOCK + "    retention: 7d\n    throughput: {average: 60MB/s}\n", line=3, column=3),
    Bad(
        ORDERS_BLOCK + "    retention: forever\n    config: {retention.bytes: 10GiB, segment.bytes: 1MiB}\n",
        line=7,
        column=53,
    ),
    Bad(
        orders_with("retention: 1d, throughput: {average: 60MB/s}, config: {segment.index.bytes: 1KiB}"),
        line=3,
        column=119,
    ),
    Bad(orders_with("retention: 2s, config: {segment.ms: 100ms}"), line=3, column=79),
)

RULE = rule(DOCS, Severity.WARNING, check, GOOD, BAD, options=OPTIONS, requirements=("R28",))
