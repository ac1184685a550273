from __future__ import annotations

from collections.abc import Iterator

from kafka_topology.topology.model.findings import Related, Severity, excess
from kafka_topology.topology.model.units import format_rate
from kafka_topology.topology.model.words import counted
from kafka_topology.validators.engine.examples import changed, inheriting, on_cluster
from kafka_topology.validators.engine.helpers import count_place
from kafka_topology.validators.engine.rule import Bad, Context, Problem, rule

DOCS = """\
# KT201: too-few-partitions

The partitions cannot handle the declared peak.

A partition is the unit of parallelism: one leader writes it, and one member of a group reads it. If all partitions
together handle less than the peak, producers time out at the peak and groups never catch up.

Fix: Raise `partitions` to peak ÷ `limits.throughputPerPartition` before keys are in use.
"""


def check(context: Context) -> Iterator[Problem]:
    cluster = context.topology.cluster
    each = cluster.limits.throughput_per_partition
    if not each:
        return
    for topic in context.topology.topics.values():
        peak = topic.throughput.peak if topic.throughput is not None else None
        if peak is None or topic.partitions * each >= peak:
            continue
        needed = -(-peak // each)
        yield Problem(
            f"{topic.name}: {counted(topic.partitions, 'partition')} can handle"
            f" {format_rate(topic.partitions * each)} at {format_rate(each)} each, below the peak of"
            f" {format_rate(peak)}; expected at least {needed} partitions",
            count_place(context.topology, topic, "partitions"),
            topic.name,
            f"set partitions to at least {needed}; if keys are in use, plan how they move",
            (
                Related(topic.place("throughput", "peak").location, "the peak"),
                Related(cluster.place("limits", "throughputPerPartition").location, "what one partition handles"),
            ),
            evidence=excess(peak / (topic.partitions * each)),
        )


LIMIT = "limits: {throughputPerPartition: 10MB/s}"
EXAMPLE = on_cluster(
    LIMIT, "version: 1\ntopics:\n  orders: {partitions: 4, replication: 3, throughput: {peak: 40MB/s}}\n"
)

GOOD = (EXAMPLE,)
BAD = (
    Bad(changed(EXAMPLE, {"partitions: 4": "partitions: 3"}), line=4, column=24),
    Bad(
        on_cluster(LIMIT, inheriting("partitions: 3, replication: 3", "throughput: {peak: 40MB/s}")), line=4, column=23
    ),
)

RULE = rule(DOCS, Severity.ERROR, check, GOOD, BAD, requirements=("R4", "R6"))
