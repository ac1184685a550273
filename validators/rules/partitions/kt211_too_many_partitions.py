from __future__ import annotations

from collections.abc import Iterator

from kafka_topology.topology.model.findings import Related, Severity, excess
from kafka_topology.validators.engine.helpers import cluster_name, count_place
from kafka_topology.validators.engine.rule import Bad, Context, Option, Problem, rule

DOCS = """\
# KT211: too-many-partitions

Each broker has more partition replicas than the cluster can handle.

Each replica costs a broker open files, memory and time at every failover. Beyond a few thousand per broker, a
restart takes minutes, and a lost broker leaves partitions without a leader for just as long.

Fix: Use fewer partitions, or add brokers. Declare what the cluster can handle as `cluster.limits.partitionsPerBroker`.
"""


def check(context: Context) -> Iterator[Problem]:
    cluster = context.topology.cluster
    brokers = len(cluster.brokers or ())
    if not brokers:
        return
    limit = _limit(context)
    total = 0
    one_is_enough = False
    for topic in context.topology.topics.values():
        replicas = topic.partitions * topic.replication
        total += replicas
        if replicas <= limit * brokers:
            continue
        one_is_enough = True
        yield Problem(
            f"{topic.name}: {topic.partitions} partitions with {topic.replication} replicas put"
            f" {-(-replicas // brokers)} on each of {brokers} brokers; expected at most {limit}",
            count_place(context.topology, topic, "partitions"),
            topic.name,
            "use fewer partitions, or add brokers",
            evidence=excess(replicas / max(limit * brokers, 1)),
        )
    if total > limit * brokers and not one_is_enough:
        largest = sorted(context.topology.topics.values(), key=lambda topic: -topic.partitions * topic.replication)
        name = cluster_name(context.topology)
        yield Problem(
            f"{name}: all topics together put {-(-total // brokers)} partition replicas on each of {brokers}"
            f" brokers; expected at most {limit}",
            cluster.place("brokers"),
            name,
            "use fewer partitions, or add brokers",
            tuple(
                Related(topic.place("partitions").location, f"{topic.name} has {topic.partitions}")
                for topic in largest[:3]
            ),
            evidence=excess(total / max(limit * brokers, 1)),
        )


def _limit(context: Context) -> int:
    """The rule's option if the topology sets it, otherwise the cluster's declared limit."""
    setting = context.topology.rules.get(RULE.id)
    declared = context.topology.cluster.limits.partitions_per_broker
    if declared is None or (setting is not None and "max" in setting.options):
        return context.number("max")
    return declared


OPTIONS = (
    Option(
        "max", 4000, "The most partition replicas on one broker; a limit that the cluster declares takes precedence."
    ),
)
GOOD = (
    """\
version: 1
cluster: {brokers: 3, limits: {partitionsPerBroker: 4000}}
topics:
  orders: {partitions: 12, replication: 3}
""",
)
BAD = (
    Bad(
        """\
version: 1
cluster: {brokers: 3, limits: {partitionsPerBroker: 1000}}
topics:
  orders: {partitions: 1200, replication: 3}
""",
        line=4,
        column=24,
    ),
    Bad(
        """\
version: 1
cluster: {brokers: 3}
topics:
  orders: {partitions: 1200, replication: 3}
  payments: {partitions: 900, replication: 3}
rules:
  KT211: {max: 2000}
""",
        line=2,
        column=20,
    ),
)

RULE = rule(DOCS, Severity.WARNING, check, GOOD, BAD, options=OPTIONS, requirements=("R4",))
