from __future__ import annotations

import math
from collections.abc import Iterator

from kafka_topology.topology.kafka.effective import Setting
from kafka_topology.topology.model.declared import Topic
from kafka_topology.topology.model.findings import Severity
from kafka_topology.topology.model.units import format_duration, kafka_true
from kafka_topology.validators.engine.examples import ORDERS_BLOCK, changed
from kafka_topology.validators.engine.helpers import problem_with, related, shown
from kafka_topology.validators.engine.rule import Bad, Context, Problem, rule
from kafka_topology.validators.facts.storage import Storage

DOCS = """\
# KT317: tiered-segment-outlives-local

The segments of a tiered topic stay open for longer than the local retention.

A broker copies a segment to the remote storage after it is closed, and deletes the local copy after that. While
records arrive, a segment is closed by its age (`segment.ms`) or its size (`segment.bytes`). If neither happens within
the local retention, the disks hold more than the local retention promises, and the newest records exist only on the
brokers for just as long. If a declared load fills segments sooner, the rule reports nothing.

Fix: Set `segment.ms` to the local retention or less, and `segment.bytes` below `local.retention.bytes`.
"""


def check(context: Context) -> Iterator[Problem]:
    storage = Storage(context)
    for topic in context.index.topics_setting.get("remote.storage.enable", ()):
        if not kafka_true(topic.config["remote.storage.enable"]) or kafka_true(_copy_disabled(context, topic)):
            continue
        yield from _by_time(context, topic, storage)
        yield from _by_size(context, topic, storage)


def _copy_disabled(context: Context, topic: Topic) -> str | None:
    setting = context.settings.topic(topic, "remote.log.copy.disable")
    return setting.value if setting is not None else None


def _by_time(context: Context, topic: Topic, storage: Storage) -> Iterator[Problem]:
    kept = storage.local_ms(topic)
    full_after = storage.fill_ms(topic)
    if storage.segment_ms(topic) <= kept or (full_after is not None and full_after <= kept):
        return
    segment, local = context.settings.topic(topic, "segment.ms"), _local(context, topic, "ms")
    if segment is None or local is None or kept == storage.retention_ms(topic):
        return  # KT303 compares with the whole retention
    most = format_duration(int(kept))
    yield problem_with(
        segment,
        topic,
        f"segment.ms is {shown(segment)}, above local.retention.ms of {shown(local)}, so records stay on the"
        f" brokers, and only there, until their segment is closed; expected at most {most}",
        f"set segment.ms to at most {most}; a fraction of it frees the disks more evenly",
        edit=most if kept else None,
        related=related(local, "the local retention is set here"),
    )


def _by_size(context: Context, topic: Topic, storage: Storage) -> Iterator[Problem]:
    kept = storage.local_bytes(topic)
    if kept == math.inf or kept == storage.retention_bytes(topic) or storage.segment_bytes(topic) <= kept:
        return  # KT304 compares with the whole retention
    segment, local = context.settings.topic(topic, "segment.bytes"), _local(context, topic, "bytes")
    if segment is not None and local is not None:
        yield problem_with(
            segment,
            topic,
            f"segment.bytes is {shown(segment)}, above local.retention.bytes of {shown(local)}, so each partition"
            f" keeps more than that on the brokers; expected at most {shown(local)}",
            "set segment.bytes to a fraction of local.retention.bytes",
            related=related(local, "the local retention is set here"),
        )


def _local(context: Context, topic: Topic, unit: str) -> Setting | None:
    return context.settings.topic(topic, f"local.retention.{unit}")


EXAMPLE = (
    ORDERS_BLOCK
    + """\
    retention: 30d
    config: {remote.storage.enable: true, local.retention.ms: 1d, segment.ms: 6h}
"""
)

GOOD = (
    EXAMPLE,
    ORDERS_BLOCK
    + """\
    retention: 30d
    throughput: {average: 60MB/s}
    config: {remote.storage.enable: true, local.retention.ms: 1d}
""",
)
BAD = (
    Bad(changed(EXAMPLE, {"segment.ms: 6h": "segment.ms: 7d"}), line=7, column=79),
    Bad(changed(EXAMPLE, {", segment.ms: 6h": ""}), line=3, column=3),
    Bad(changed(EXAMPLE, {"segment.ms: 6h": "segment.ms: 6h, local.retention.bytes: 100MiB"}), line=3, column=3),
)

RULE = rule(DOCS, Severity.WARNING, check, GOOD, BAD, requirements=("R27",))
