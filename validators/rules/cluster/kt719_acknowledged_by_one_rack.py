from __future__ import annotations

from collections.abc import Iterator

from kafka_topology.topology.model.findings import Related, Severity
from kafka_topology.validators.engine.examples import on_cluster, orders_with
from kafka_topology.validators.engine.helpers import problem_with, shown
from kafka_topology.validators.engine.rule import Bad, Context, Problem, rule
from kafka_topology.validators.facts.racks import brokers_by_rack, most_in_one_rack, racks_place

DOCS = """\
# KT719: acknowledged-by-one-rack

All replicas that acknowledge a record can be in one of two racks.

In a cluster across two data centres, a record should be in both before it is acknowledged. If one rack holds
`min.insync.replicas` replicas, these are enough while the connection to the other one is slow or down; a fire in that
rack then loses records that producers believe to be safe. KT703 reports a topic whose writers stop with one rack. With
two racks, one of the two is always so: choose, and suppress that rule with the reason. Three racks avoid both.

Fix: Use three racks or more; or four replicas with `min.insync.replicas: 3`, which stops with one rack.
"""

TWO = 2


def check(context: Context) -> Iterator[Problem]:
    cluster = context.topology.cluster
    brokers = brokers_by_rack(cluster)
    if len(brokers) != TWO:
        return
    min_isr_of = context.index.topic_number("min.insync.replicas")
    total = sum(brokers.values())
    for topic in context.topology.topics.values():
        needed = min_isr_of(topic)
        if needed is None or needed < TWO or not TWO < topic.replication <= total:
            continue  # fewer acknowledgements promise nothing about racks
        together = most_in_one_rack(topic.replication, brokers)
        min_isr = context.settings.topic(topic, "min.insync.replicas") if needed <= together else None
        if min_isr is not None:
            more = together + 1
            or_more = f", or {more} in-sync replicas" if more < topic.replication else ""
            yield problem_with(
                min_isr,
                topic,
                f"min.insync.replicas is {shown(min_isr)}, and one of the two racks can hold {together} of its"
                f" {topic.replication} replicas, so that rack alone can acknowledge; expected three racks{or_more}",
                "use three racks"
                + (f", or set min.insync.replicas to {more}: writers then stop when a rack is lost" if or_more else ""),
                related=(Related(racks_place(cluster).location, "the racks are declared here"),),
            )


EXAMPLE = "version: 1\ntopics:\n  orders: {partitions: 6, replication: 4, config: {min.insync.replicas: 2}}\n"

GOOD = (
    on_cluster("brokers: 6, racks: [a, b, c]", orders_with("config: {min.insync.replicas: 2}")),
    on_cluster("brokers: 4, racks: [a, b]", EXAMPLE.replace("replicas: 2", "replicas: 3")),
)
BAD = (
    Bad(on_cluster("brokers: 4, racks: [a, b]", EXAMPLE), line=4, column=73),
    Bad(
        on_cluster("brokers: 4, racks: [a, b]", orders_with("config: {min.insync.replicas: 2}")),
        line=4,
        column=73,
    ),
)

RULE = rule(DOCS, Severity.WARNING, check, GOOD, BAD, requirements=("R30",))
