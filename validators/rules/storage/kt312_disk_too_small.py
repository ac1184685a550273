from __future__ import annotations

import math
from collections.abc import Iterator

from kafka_topology.topology.model.declared import Topic
from kafka_topology.topology.model.findings import Related, Severity, excess
from kafka_topology.topology.model.places import Layer
from kafka_topology.topology.model.units import format_rate
from kafka_topology.topology.model.words import counted
from kafka_topology.validators.engine.examples import changed, on_cluster, orders_with
from kafka_topology.validators.engine.helpers import cluster_name, place_of, roughly, shown
from kafka_topology.validators.engine.rule import Bad, Context, Problem, rule
from kafka_topology.validators.facts.storage import Storage, declared_rate, fullest_rack, rounded, stored_bytes

DOCS = """\
# KT312: disk-too-small

The declared load, kept for its retention in all replicas, does not fit on the declared disks.

A broker with a full disk stops, and the others take over its load with disks that are just as full. The rule uses the
average load if declared, otherwise the peak, and takes `retention.bytes` and the local retention of tiered topics into
account. Retention by size deletes whole segments, so each partition needs `retention.bytes` and one segment. A topic
that is kept forever fills any disk some day: the rule counts the records of one year. If all brokers have a rack, each
rack must have room for its share: Kafka gives every rack one replica of a partition in turns, so a rack with fewer
disks is full first.

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
        stored = int(stored_bytes(topic, storage) * topic.replication)
        total += stored
        if stored > disk:
            one_is_enough = True
            yield _topic_problem(context, topic, storage, stored, disk)
    if total > disk and not one_is_enough:
        name = cluster_name(context.topology)
        declared = cluster.place("disk")
        yield Problem(
            f"{name}: the topics with a declared load keep {rounded(total)} with all replicas; expected at most the"
            f" {rounded(disk)} of its disks",
            declared if declared.layer is not Layer.LANGUAGE else cluster.place("brokers"),
            name,
            "shorten retentions, set retention.bytes, or add disk",
            evidence=excess(total / max(disk, 1)),
        )
    elif total <= disk:
        yield from _rack_problem(context, storage)


def _rack_problem(context: Context, storage: Storage) -> Iterator[Problem]:
    """All disks together would do, but every rack gets its share of the replicas, however small it is."""
    fullest = fullest_rack(context.topology, storage)
    if fullest is None or fullest.stored <= fullest.disk:
        return
    name = cluster_name(context.topology)
    yield Problem(
        f"{name}: of the topics with a declared load, rack {fullest.rack} gets {rounded(fullest.stored)}, because Kafka"
        f" spreads replicas evenly over racks; expected at most the {rounded(fullest.disk)} of its"
        f" {counted(fullest.brokers, 'broker')}",
        context.topology.cluster.place("brokers"),
        name,
        f"add disk or brokers to rack {fullest.rack}, shorten retentions, or set retention.bytes",
        evidence=excess(fullest.share),
    )


def _topic_problem(context: Context, topic: Topic, storage: Storage, stored: int, disk: int) -> Problem:
    rate = declared_rate(topic)
    retention = context.settings.topic(topic, "retention.ms")
    load = "average" if topic.throughput is not None and topic.throughput.average is not None else "peak"
    if storage.deletes(topic) and min(storage.local_ms(topic), storage.local_bytes(topic)) < math.inf:
        kept = f" kept for {shown(retention)}" if retention is not None and (retention.number or 0) >= 0 else ""
        use = f"use {rounded(stored)}; expected at most the {rounded(disk)} of all disks"
    else:
        full = disk * 1000 / ((rate or 1) * topic.replication)
        kept = " kept forever"
        use = f"fill the {rounded(disk)} of all disks in {roughly(full)}; expected a retention, or disks for a year"
    return Problem(
        f"{topic.name}: {format_rate(rate or 0)}{kept} in {counted(topic.replication, 'replica')} {use}",
        place_of(retention, topic) if retention is not None else topic.place(),
        topic.name,
        "shorten the retention, set retention.bytes, or add disk",
        (Related(topic.place("throughput", load).location, f"the {load} load"),),
        evidence=excess(stored / max(disk, 1)),
    )


EXAMPLE = on_cluster("brokers: 3, disk: 500GiB", orders_with("throughput: {peak: 500KB/s}, retention: 7d"))

BY_SIZE = on_cluster(
    "brokers: 3, disk: 13GiB",
    orders_with("throughput: {peak: 100MB/s}, retention: 7d, config: {retention.bytes: 1GiB}"),
)

RACKS = """\
version: 1
cluster:
  brokers: [{id: 1, rack: a, disk: 1TB}, {id: 2, rack: a, disk: 1TB}, {id: 3, rack: b, disk: 1TB}]
topics:
  orders: {partitions: 6, replication: 2, throughput: {average: 1MB/s}, retention: 11d}
"""

GOOD = (EXAMPLE, RACKS, BY_SIZE, changed(EXAMPLE, {"peak: 500KB/s": "peak: 1KB/s", "7d": "forever"}))
BAD = (
    Bad(changed(EXAMPLE, {"peak: 500KB/s": "peak: 10MB/s"}), line=4, column=82),
    Bad(
        changed(EXAMPLE, {"peak": "average"})
        + "  clicks: {partitions: 6, replication: 3, throughput: {average: 500KB/s}, retention: 7d}\n",
        line=2,
        column=29,
    ),
    Bad(changed(RACKS, {"retention: 11d": "retention: 14d"}), line=3, column=12),
    Bad(changed(BY_SIZE, {"13GiB": "10GiB"}), line=4, column=83),
    Bad(changed(EXAMPLE, {"7d": "forever"}), line=4, column=83),
    Bad(
        changed(EXAMPLE, {"retention: 7d": 'config: {cleanup.policy: ""}', "brokers": 'kafka: "4.1", brokers'}),
        line=4,
        column=11,
    ),
)

RULE = rule(DOCS, Severity.ERROR, check, GOOD, BAD, requirements=("R4", "R27"))
