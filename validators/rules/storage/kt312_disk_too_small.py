from __future__ import annotations

import math
from collections.abc import Iterator

from kafka_topology.topology.model.declared import Topic
from kafka_topology.topology.model.findings import Related, Severity
from kafka_topology.topology.model.places import Layer
from kafka_topology.topology.model.units import format_rate
from kafka_topology.validators.engine.examples import changed, on_cluster, orders_with
from kafka_topology.validators.engine.helpers import cluster_name, place_of, shown
from kafka_topology.validators.engine.rule import Bad, Context, Problem, rule
from kafka_topology.validators.facts.storage import Storage, declared_rate

DOCS = """\
# KT312: disk-too-small

The declared load, kept for its retention in all replicas, does not fit on the declared disks.

A broker with a full disk stops, and the others take over its load with disks that are just as full. The rule uses the
average load if declared, otherwise the peak, and takes `retention.bytes` and the local retention of tiered topics into
account.

Fix: Shorten the retention, limit it with `retention.bytes`, or add disk.
"""


def check(context: Context) -> Iterator[Problem]:
    cluster = context.topology.cluster
    disks = [broker.disk for broker in cluster.brokers or ()]
    if not disks or None in disks:
        return
    disk = sum(filter(None, disks))
    storage = Storage(context)
    total = 0
    one_is_enough = False
    for topic in context.topology.topics.values():
        stored = _stored(topic, storage) if topic.throughput is not None else 0
        total += stored
        if stored > disk:
            one_is_enough = True
            yield _topic_problem(context, topic, stored, disk)
    if total > disk and not one_is_enough:
        name = cluster_name(context.topology)
        declared = cluster.place("disk")
        yield Problem(
            f"{name}: the topics with a declared load keep {_round(total)} with all replicas; expected at most the"
            f" {_round(disk)} of its disks",
            declared if declared.layer is not Layer.LANGUAGE else cluster.place("brokers"),
            name,
            "shorten retentions, set retention.bytes, or add disk",
        )


def _stored(topic: Topic, storage: Storage) -> int:
    """Bytes on all brokers together; 0 if unknown."""
    rate = declared_rate(topic)
    if rate is None or storage.compacts(topic) or not storage.deletes(topic):
        return 0
    by_time = rate * storage.local_ms(topic) / 1000 if rate else 0
    kept = min(by_time, storage.local_bytes(topic) * topic.partitions)
    return int(kept * topic.replication) if kept < math.inf else 0


def _topic_problem(context: Context, topic: Topic, stored: int, disk: int) -> Problem:
    rate = declared_rate(topic)
    retention = context.settings.topic(topic, "retention.ms")
    load = "average" if topic.throughput is not None and topic.throughput.average is not None else "peak"
    kept = f" kept for {shown(retention)}" if retention is not None and (retention.number or 0) >= 0 else ""
    return Problem(
        f"{topic.name}: {format_rate(rate or 0)}{kept} in {topic.replication} replicas use {_round(stored)}; expected"
        f" at most the {_round(disk)} of all disks",
        place_of(retention, topic) if retention is not None else topic.place(),
        topic.name,
        "shorten the retention, set retention.bytes, or add disk",
        (Related(topic.place("throughput", load).location, f"the {load} load"),),
    )


def _round(count: int) -> str:
    for unit, size in (("TB", 10**12), ("GB", 10**9), ("MB", 10**6)):
        if count >= size:
            return f"{count / size:.1f} {unit}"
    return f"{count} B"


EXAMPLE = on_cluster("brokers: 3, disk: 500GiB", orders_with("throughput: {peak: 500KB/s}, retention: 7d"))

GOOD = (EXAMPLE,)
BAD = (
    Bad(changed(EXAMPLE, {"peak: 500KB/s": "peak: 10MB/s"}), line=4, column=82),
    Bad(
        changed(EXAMPLE, {"peak": "average"})
        + "  clicks: {partitions: 6, replication: 3, throughput: {average: 500KB/s}, retention: 7d}\n",
        line=2,
        column=29,
    ),
)

RULE = rule(DOCS, Severity.ERROR, check, GOOD, BAD, requirements=("R4", "R27"))
