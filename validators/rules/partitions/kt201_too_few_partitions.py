from __future__ import annotations

from collections.abc import Iterator

from ...topology.findings import Related, Severity
from ...topology.units import format_rate
from ..helpers import count_place, counted
from ..rule import Bad, Context, Problem, Rule


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
            f"{topic.name}: {counted(topic.partitions, 'partition')} can take {format_rate(topic.partitions * each)}"
            f" at {format_rate(each)} each, below the peak of {format_rate(peak)}; expected at least"
            f" {needed} partitions",
            count_place(context.topology, topic, "partitions"),
            topic.name,
            f"set partitions to at least {needed}; on a topic with keys in use, plan how the keys move",
            (
                Related(topic.place("throughput", "peak").location, "the peak"),
                Related(cluster.place("limits", "throughputPerPartition").location, "what one partition takes"),
            ),
        )


RULE = Rule(
    id="KT201",
    name="too-few-partitions",
    severity=Severity.ERROR,
    summary="The partitions cannot take the declared peak.",
    why="""\
A partition is the unit of parallelism: one leader writes it, one member of a group reads it. When partitions times
what one of them takes is below the peak, producers time out at the peak and groups never catch up.""",
    fix="Raise `partitions` to peak ÷ `limits.throughputPerPartition`, before keys are in use.",
    requirements=("R4", "R6"),
    check=check,
    good=(
        """\
version: 1
cluster: {limits: {throughputPerPartition: 10MB/s}}
topics:
  orders: {partitions: 4, replication: 3, throughput: {peak: 40MB/s}}
""",
    ),
    bad=(
        Bad(
            """\
version: 1
cluster: {limits: {throughputPerPartition: 10MB/s}}
topics:
  orders: {partitions: 3, replication: 3, throughput: {peak: 40MB/s}}
""",
            line=4,
            column=24,
        ),
        Bad(
            """\
version: 1
cluster: {limits: {throughputPerPartition: 10MB/s}}
profiles:
  event: {partitions: 3, replication: 3}
topics:
  orders: {profile: event, throughput: {peak: 40MB/s}}
""",
            line=4,
            column=23,
        ),
    ),
)
