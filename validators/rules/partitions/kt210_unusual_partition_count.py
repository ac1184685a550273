from __future__ import annotations

from collections.abc import Iterator

from ...topology.findings import Severity
from ..helpers import count_place, counted
from ..rule import Bad, Context, Option, Problem, Rule


def check(context: Context) -> Iterator[Problem]:
    brokers = len(context.topology.cluster.brokers or ())
    if not brokers:
        return
    usual, factor = 2 * brokers, max(context.number("factor"), 1)
    for topic in context.topology.topics.values():
        if usual <= topic.partitions * factor and topic.partitions <= usual * factor:
            continue
        if topic.ordering == "total" or (topic.throughput is not None and topic.throughput.peak is not None):
            continue  # the order, or the load, says how many
        yield Problem(
            f"{topic.name}: {counted(topic.partitions, 'partition')} on {counted(brokers, 'broker')} and no"
            f" declared peak; expected about {usual}, 2 for each broker",
            count_place(context.topology, topic, "partitions"),
            topic.name,
            "declare throughput.peak, from which the partitions follow, or start with 2 for each broker",
        )


RULE = Rule(
    id="KT210",
    name="unusual-partition-count",
    severity=Severity.ADVICE,
    summary="Far fewer or far more partitions than usual, and no declared load to explain it.",
    why="""\
Too few partitions limit every group that will ever read the topic, and adding some later moves keys. Too many cost
memory, files and time at every failover. Twice the number of brokers is a common start; a declared peak is better.""",
    fix="Declare `throughput.peak` so that the number can be judged, or start with two partitions for each broker.",
    requirements=("R4", "R6"),
    options=(Option("factor", 2, "How many times fewer or more than two for each broker is still usual."),),
    check=check,
    good=(
        """\
version: 1
cluster: {brokers: 3}
topics:
  orders: {partitions: 6, replication: 3}
  clicks: {partitions: 60, replication: 3, throughput: {peak: 500MB/s}}
  ledger: {partitions: 1, replication: 3, ordering: total}
""",
    ),
    bad=(
        Bad(
            "version: 1\ncluster: {brokers: 3}\ntopics:\n  orders: {partitions: 60, replication: 3}\n",
            line=4,
            column=24,
        ),
        Bad(
            "version: 1\ncluster: {brokers: 3}\ntopics:\n  orders: {partitions: 1, replication: 3}\n",
            line=4,
            column=24,
        ),
    ),
)
