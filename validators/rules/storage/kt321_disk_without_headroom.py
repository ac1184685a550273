from __future__ import annotations

import math
from collections.abc import Iterator

from kafka_topology.topology.model.findings import Severity, excess
from kafka_topology.topology.model.places import Layer
from kafka_topology.validators.engine.examples import changed, on_cluster, orders_with
from kafka_topology.validators.engine.helpers import cluster_name
from kafka_topology.validators.engine.rule import Bad, Context, Option, Problem, rule
from kafka_topology.validators.facts.storage import Storage, fullest_rack, rounded, stored_bytes

DOCS = """\
# KT321: disk-without-headroom

The declared load fits on the disks, but with too little room, or no longer after one broker is lost.

A partition also holds segments that are about to be deleted, indexes and uneven keys, so disks that are planned to
the last gigabyte are full before the retention is reached. If a broker is lost for good, its replicas are placed on
the others, as far as there are enough brokers for all replicas of a topic, in any rack. Otherwise each rack must have
room for its share, because Kafka spreads replicas evenly over racks. A broker with a full disk stops. KT312
reports a load that does not fit at all. Only topics with a declared load count; one that is kept
forever counts with the records of one year.

Fix: Add disk or brokers, shorten the retention, or limit it with `retention.bytes`.
"""


def check(context: Context) -> Iterator[Problem]:
    cluster = context.topology.cluster
    disks = [broker.disk for broker in cluster.brokers or () if broker.disk is not None]
    if not disks or len(disks) < len(cluster.brokers or ()):
        return
    storage = Storage(context)
    copies = [(stored_bytes(topic, storage), topic.replication) for topic in context.topology.topics.values()]
    stored = int(sum(one * count for one, count in copies))
    disk, share = sum(disks), context.number("percent")
    if stored > disk:
        return  # KT312 reports it
    rack = fullest_rack(context.topology, storage)
    if rack is not None and rack.stored > rack.disk:
        return  # KT312 reports it
    left = disk - max(disks)
    after_loss = int(sum(one * min(count, len(disks) - 1) for one, count in copies))
    if stored * 100 > disk * share:
        what = f"use {_percent(stored, disk)} of the {rounded(disk)} of its disks; expected at most {share}%"
    elif rack is not None and rack.stored * 100 > rack.disk * share:
        what = (
            f"use {_percent(rack.stored, rack.disk)} of the {rounded(rack.disk)} in rack {rack.rack}, because Kafka"
            f" spreads replicas evenly over racks; expected at most {share}%"
        )
    elif len(disks) > 1 and after_loss > left:
        what = (
            f"fit on its {rounded(disk)} of disks, but after the loss of one broker {rounded(after_loss)} do not fit"
            f" on the remaining {rounded(left)}; expected that they do"
        )
    else:
        return
    name = cluster_name(context.topology)
    declared = cluster.place("disk")
    yield Problem(
        f"{name}: the topics with a declared load keep {rounded(stored)} with all replicas and {what}",
        declared if declared.layer is not Layer.LANGUAGE else cluster.place("brokers"),
        name,
        "add disk or brokers, shorten retentions, or set retention.bytes",
        evidence=excess(max(stored / disk, rack.share if rack is not None else 0)),
    )


def _percent(part: int, whole: int) -> str:
    """With a decimal place, and rounded up: what is above a limit never reads as the limit."""
    return f"{math.ceil(part * 1000 / whole) / 10:.1f}".removesuffix(".0") + "%"


EXAMPLE = on_cluster("brokers: 4, disk: 500GiB", orders_with("throughput: {average: 500KB/s}, retention: 7d"))
OPTIONS = (Option("percent", 80, "The most that the declared load may use of all disks, in percent."),)

RACKS = """\
version: 1
cluster:
  brokers: [{id: 1, rack: a, disk: 2TB}, {id: 2, rack: a, disk: 2TB}, {id: 3, rack: b, disk: 1TB}]
topics:
  orders: {partitions: 6, replication: 2, throughput: {average: 1MB/s}, retention: 9d}
"""

GOOD = (EXAMPLE, RACKS)
BAD = (
    Bad(changed(EXAMPLE, {"average: 500KB/s": "average: 1MB/s"}), line=2, column=29),
    Bad(
        """\
version: 1
cluster:
  brokers: [{id: 1, disk: 1TB}, {id: 2, disk: 500GB}, {id: 3, disk: 500GB}]
topics:
  orders: {partitions: 6, replication: 2, throughput: {average: 1MB/s}, retention: 7d}
""",
        line=3,
        column=12,
    ),
    Bad(changed(RACKS, {"retention: 9d": "retention: 11d"}), line=3, column=12),
)

RULE = rule(DOCS, Severity.WARNING, check, GOOD, BAD, options=OPTIONS, requirements=("R4", "R27"))
