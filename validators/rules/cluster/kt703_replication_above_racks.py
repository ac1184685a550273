from __future__ import annotations

from collections.abc import Iterator

from kafka_topology.topology.model.findings import Related, Severity
from kafka_topology.topology.model.places import Layer
from kafka_topology.topology.model.words import counted
from kafka_topology.validators.engine.examples import ORDERS, changed, on_cluster
from kafka_topology.validators.engine.helpers import count_place
from kafka_topology.validators.engine.rule import Bad, Context, Problem, rule

DOCS = """\
# KT703: replication-above-racks

A topic has more replicas than there are racks.

Kafka spreads the replicas of a partition across racks. With more replicas than racks, one rack holds two, and
losing it can take the topic below `min.insync.replicas`.

Fix: Spread the brokers across as many racks or zones as the topic has replicas.
"""


def check(context: Context) -> Iterator[Problem]:
    cluster = context.topology.cluster
    if cluster.brokers is None or any(broker.rack is None for broker in cluster.brokers):
        return
    racks = len({broker.rack for broker in cluster.brokers})  # the racks of brokers, not those that are only listed
    declared = cluster.place("racks" if cluster.place("racks").layer is not Layer.LANGUAGE else "brokers")
    for topic in context.topology.topics.values():
        if racks < topic.replication <= len(cluster.brokers):
            yield Problem(
                f"{topic.name}: replication is {topic.replication} across {counted(racks, 'rack')}, so losing"
                " one rack loses several replicas; expected one rack per replica",
                count_place(context.topology, topic, "replication"),
                topic.name,
                f"spread the brokers across {topic.replication} racks",
                (Related(declared.location, "the racks are declared here"),),
            )


EXAMPLE = on_cluster("brokers: 3, racks: [a, b, c]", ORDERS)

GOOD = (EXAMPLE,)
BAD = (
    Bad(changed(EXAMPLE, {"brokers: 3": "brokers: 4", "[a, b, c]": "[a, b]"}), line=4, column=40),
    Bad(
        """\
version: 1
cluster:
  brokers: [{id: 1, rack: a}, {id: 2, rack: a}, {id: 3, rack: b}]
profiles:
  event: {replication: 3}
topics:
  orders: {profile: event, partitions: 6}
""",
        line=5,
        column=24,
    ),
)

RULE = rule(DOCS, Severity.WARNING, check, GOOD, BAD, requirements=("R30",))
