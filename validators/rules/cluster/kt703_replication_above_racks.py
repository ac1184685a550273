from __future__ import annotations

from collections.abc import Iterator

from kafka_topology.topology.model.findings import Related, Severity
from kafka_topology.topology.model.words import counted
from kafka_topology.validators.engine.examples import on_cluster, orders_with
from kafka_topology.validators.engine.helpers import count_place
from kafka_topology.validators.engine.rule import Bad, Context, Problem, rule
from kafka_topology.validators.facts.racks import brokers_by_rack, most_in_one_rack, racks_place

DOCS = """\
# KT703: replication-above-racks

After the loss of one rack, fewer replicas are left than `min.insync.replicas`.

Kafka spreads the replicas of a partition across racks. With more replicas than racks, one rack holds several. If losing
it leaves fewer than `min.insync.replicas`, every writer with `acks=all` stops until the rack is back. Three replicas in
two racks with `min.insync.replicas: 2` are such a case; four are not. KT719 is about the other side: what is
acknowledged by one rack alone.

Fix: Spread the brokers across as many racks or zones as the topic has replicas, or add replicas.
"""


def check(context: Context) -> Iterator[Problem]:
    cluster = context.topology.cluster
    brokers = brokers_by_rack(cluster)  # the racks of brokers, not those that are only listed
    if not brokers:
        return
    min_isr_of = context.index.topic_number("min.insync.replicas")
    total = sum(brokers.values())
    for topic in context.topology.topics.values():
        min_isr = min_isr_of(topic)
        # KT103 reports a single replica, and KT104 more replicas than brokers.
        if min_isr is None or not 1 < topic.replication <= total:
            continue
        lost = most_in_one_rack(topic.replication, brokers)
        left = topic.replication - lost
        # KT101 reports writers that stop with any broker.
        if left >= min_isr or topic.replication - 1 < min_isr or lost == 1:
            continue
        yield Problem(
            f"{topic.name}: {topic.replication} replicas across {counted(len(brokers), 'rack')}, so losing one rack can"
            f" leave {left}, below min.insync.replicas {min_isr}; expected at least {min_isr}",
            count_place(context.topology, topic, "replication"),
            topic.name,
            f"spread the brokers across {topic.replication} racks, or change the number of replicas",
            (Related(racks_place(cluster).location, "the racks are declared here"),),
        )


def _two_racks(topic: str) -> str:
    return on_cluster("brokers: 4, racks: [a, b]", topic)


SAFE = orders_with("config: {min.insync.replicas: 2}")

GOOD = (
    on_cluster("brokers: 3, racks: [a, b, c]", SAFE),
    _two_racks("version: 1\ntopics:\n  orders: {partitions: 6, replication: 4, config: {min.insync.replicas: 2}}\n"),
    _two_racks("version: 1\ntopics:\n  metrics: {partitions: 6, replication: 3, config: {min.insync.replicas: 1}}\n"),
)
BAD = (
    Bad(_two_racks(SAFE), line=4, column=40),
    Bad(
        """\
version: 1
cluster:
  brokers: [{id: 1, rack: a}, {id: 2, rack: a}, {id: 3, rack: b}]
profiles:
  event: {replication: 3, config: {min.insync.replicas: 2}}
topics:
  orders: {profile: event, partitions: 6}
""",
        line=5,
        column=24,
    ),
)

RULE = rule(DOCS, Severity.WARNING, check, GOOD, BAD, requirements=("R30",))
