from __future__ import annotations

from collections.abc import Iterator

from kafka_topology.topology.kafka.share_groups import possible_share_groups
from kafka_topology.topology.model.findings import Related, Severity
from kafka_topology.validators.engine.examples import PACKERS, changed, on_cluster
from kafka_topology.validators.engine.rule import Bad, Context, Problem, rule

DOCS = """\
# KT558: shared-order-lost

A share group reads a topic whose order matters.

Several members of a share group get records of one partition at the same time, and a record that was released or timed
out is delivered again after later ones. Records of one key are processed out of order, whatever the partitions.

Fix: Read the topic with a consumer group. If this reader does not need the order, suppress the rule there and say why.
"""


def check(context: Context) -> Iterator[Problem]:
    topics = context.topology.topics
    for name, group in possible_share_groups(context.topology).items():
        for index, topic in enumerate(group.topics):
            declared = topics.get(topic)
            if declared is None or declared.ordering == "none":
                continue
            yield Problem(
                f"{name}: {topic} is ordered {declared.ordering.replace('-', ' ')}, and a share group processes its"
                " records out of order; expected a consumer group",
                group.place("topics", index),
                name,
                f"read {topic} with a consumer group",
                related=(Related(declared.place("ordering").location, "the order is declared here"),),
            )


GOOD = (on_cluster('kafka: "4.2"', PACKERS),)
BAD = (
    Bad(
        changed(on_cluster('kafka: "4.2"', PACKERS), {"replication: 3}": "replication: 3, ordering: per-key}"}),
        line=7,
        column=14,
    ),
)

RULE = rule(DOCS, Severity.WARNING, check, GOOD, BAD)
