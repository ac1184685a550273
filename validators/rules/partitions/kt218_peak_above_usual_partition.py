from __future__ import annotations

from collections.abc import Iterator

from kafka_topology.topology.model.findings import Related, Severity
from kafka_topology.topology.model.units import format_rate
from kafka_topology.topology.model.words import counted
from kafka_topology.validators.engine.examples import changed, inheriting
from kafka_topology.validators.engine.helpers import count_place
from kafka_topology.validators.engine.rule import Bad, Context, Option, Problem, rule

DOCS = """\
# KT218: peak-above-usual-partition

The declared peak is more than so many partitions usually handle, and the cluster declares no limit of its own.

What one partition handles depends on the brokers' disks and network, the size of records and batches, and on the
slowest reader: a partition is read by one member of a group. 10 MB/s is what teams plan with before they measure;
one partition on good hardware may handle several times that. If `cluster.limits.throughputPerPartition` is declared,
KT201 compares with it instead, and reports an error.

Fix: Raise `partitions`, or measure and declare `cluster.limits.throughputPerPartition`.
"""


def check(context: Context) -> Iterator[Problem]:
    if context.topology.cluster.limits.throughput_per_partition:
        return  # KT201 compares with it
    each = context.amount("perPartition")
    if not each:
        return
    for topic in context.topology.topics.values():
        peak = topic.throughput.peak if topic.throughput is not None else None
        if peak is None or topic.partitions * each >= peak:
            continue
        needed = -(-peak // each)
        yield Problem(
            f"{topic.name}: {counted(topic.partitions, 'partition')} for a peak of {format_rate(peak)}, which is more"
            f" than {format_rate(each)} each; expected at least {needed} partitions, or a limit that was measured",
            count_place(context.topology, topic, "partitions"),
            topic.name,
            f"set partitions to at least {needed}, or measure and declare cluster.limits.throughputPerPartition",
            (Related(topic.place("throughput", "peak").location, "the peak"),),
        )


EXAMPLE = "version: 1\ntopics:\n  clicks: {partitions: 6, replication: 3, throughput: {peak: 60MB/s}}\n"
OPTIONS = (
    Option(
        "perPartition",
        "10MB/s",
        "What one partition handles if the cluster does not declare it; 0 for no such rate.",
        measure="rate",
    ),
)

GOOD = (
    EXAMPLE,
    EXAMPLE + "rules:\n  KT218: {perPartition: 0MB/s}\n",
    """\
version: 1
cluster: {limits: {throughputPerPartition: 30MB/s}}
topics:
  clicks: {partitions: 3, replication: 3, throughput: {peak: 60MB/s}}
""",
)
BAD = (
    Bad(changed(EXAMPLE, {"partitions: 6": "partitions: 3"}), line=3, column=24),
    Bad(inheriting("partitions: 3, replication: 3", "throughput: {peak: 40MB/s}"), line=3, column=23),
    Bad(EXAMPLE + "rules:\n  KT218: {perPartition: 5MB/s}\n", line=3, column=24),
)

RULE = rule(DOCS, Severity.WARNING, check, GOOD, BAD, options=OPTIONS, requirements=("R4", "R6"))
