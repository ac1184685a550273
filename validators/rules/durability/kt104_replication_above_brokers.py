from __future__ import annotations

from collections.abc import Iterator

from ...topology.findings import Related, Severity
from ..helpers import count_place, counted
from ..rule import Bad, Context, Problem, Rule


def check(context: Context) -> Iterator[Problem]:
    cluster = context.topology.cluster
    if cluster.brokers is None:
        return
    brokers = len(cluster.brokers)
    for topic in context.topology.topics.values():
        if topic.replication > brokers:
            yield Problem(
                f"{topic.name}: replication is {topic.replication} on a cluster of {counted(brokers, 'broker')};"
                f" expected at most {brokers}",
                count_place(context.topology, topic, "replication"),
                topic.name,
                f"lower replication to {brokers}, or add brokers",
                (Related(cluster.place("brokers").location, "the brokers are declared here"),),
            )


RULE = Rule(
    id="KT104",
    name="replication-above-brokers",
    severity=Severity.ERROR,
    summary="A topic wants more replicas than there are brokers.",
    why="Each replica of a partition is on another broker. Kafka refuses to create a topic that asks for more.",
    fix="Lower `replication` to the number of brokers, or add brokers.",
    requirements=("R2",),
    check=check,
    good=("version: 1\ncluster: {brokers: 3}\ntopics:\n  orders: {partitions: 6, replication: 3}\n",),
    bad=(
        Bad(
            "version: 1\ncluster: {brokers: 3}\ntopics:\n  orders: {partitions: 6, replication: 4}\n",
            line=4,
            column=40,
        ),
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
    ),
)
