from __future__ import annotations

from collections.abc import Iterator

from kafka_topology.topology.model.findings import Related, Severity
from kafka_topology.topology.model.words import counted
from kafka_topology.validators.engine.examples import ORDERS, changed, on_cluster
from kafka_topology.validators.engine.helpers import count_place
from kafka_topology.validators.engine.rule import Bad, Context, Problem, rule

DOCS = """\
# KT104: replication-above-brokers

A topic asks for more replicas than there are brokers.

Each replica of a partition is on a different broker, so Kafka refuses to create the topic.

Fix: Lower `replication` to the number of brokers, or add brokers.
"""


def check(context: Context) -> Iterator[Problem]:
    cluster = context.topology.cluster
    if cluster.brokers is None:
        return
    brokers = len(cluster.brokers)
    for topic in context.topology.topics.values():
        if topic.replication > brokers:
            yield Problem(
                f"{topic.name}: replication is {topic.replication} on a cluster of"
                f" {counted(brokers, 'broker')}; expected at most {brokers}",
                count_place(context.topology, topic, "replication"),
                topic.name,
                f"lower replication to {brokers}, or add brokers",
                (Related(cluster.place("brokers").location, "the brokers are declared here"),),
            )


EXAMPLE = on_cluster("brokers: 3", ORDERS)

GOOD = (EXAMPLE,)
BAD = (
    Bad(changed(EXAMPLE, {"replication: 3": "replication: 4"}), line=4, column=40),
    Bad(
        """\
version: 1
cluster: {brokers: [{id: 1}, {id: 2}]}
profiles:
  event:
    replication: 3
topics:
  orders: {profile: event, partitions: 6}
""",
        line=5,
        column=18,
    ),
)

RULE = rule(DOCS, Severity.ERROR, check, GOOD, BAD, requirements=("R2",))
