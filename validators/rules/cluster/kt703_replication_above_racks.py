from __future__ import annotations

from collections.abc import Iterator

from ...topology.findings import Related, Severity
from ...topology.places import Layer
from ..helpers import count_place, counted
from ..rule import Bad, Context, Problem, Rule


def check(context: Context) -> Iterator[Problem]:
    cluster = context.topology.cluster
    if cluster.brokers is None or any(broker.rack is None for broker in cluster.brokers):
        return
    racks = len({broker.rack for broker in cluster.brokers})  # where brokers stand, not what is listed
    declared = cluster.place("racks" if cluster.place("racks").layer is not Layer.LANGUAGE else "brokers")
    for topic in context.topology.topics.values():
        if racks < topic.replication <= len(cluster.brokers):
            yield Problem(
                f"{topic.name}: replication is {topic.replication} over {counted(racks, 'rack')}, so one lost rack"
                " takes several replicas; expected a rack for each",
                count_place(context.topology, topic, "replication"),
                topic.name,
                f"spread the brokers over {topic.replication} racks",
                (Related(declared.location, "the racks are declared here"),),
            )


RULE = Rule(
    id="KT703",
    name="replication-above-racks",
    severity=Severity.WARNING,
    summary="A topic has more replicas than there are racks.",
    why="""\
Kafka spreads the replicas of a partition over the racks. With more replicas than racks, some rack holds two, and its
loss can take the topic below `min.insync.replicas`.""",
    fix="Spread the brokers over as many racks or zones as the topic has replicas.",
    requirements=("R30",),
    check=check,
    good=(
        """\
version: 1
cluster: {brokers: 3, racks: [a, b, c]}
topics:
  orders: {partitions: 6, replication: 3}
""",
    ),
    bad=(
        Bad(
            """\
version: 1
cluster: {brokers: 4, racks: [a, b]}
topics:
  orders: {partitions: 6, replication: 3}
""",
            line=4,
            column=40,
        ),
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
    ),
)
