from __future__ import annotations

from collections.abc import Iterator

from kafka_topology.topology.kafka.share_groups import possible_share_groups
from kafka_topology.topology.model.findings import Related, Severity
from kafka_topology.validators.engine.examples import PACKERS, on_cluster
from kafka_topology.validators.engine.rule import Bad, Context, Problem, rule

DOCS = """\
# KT557: group-id-of-two-types

A share group has the id of a consumer group or of a streams application.

Group ids are one namespace. The first client that joins decides the type of the group, and Kafka refuses the clients of
the other type.

Fix: Rename the group that has no offsets yet.
"""


def check(context: Context) -> Iterator[Problem]:
    topology = context.topology
    for name, group in possible_share_groups(topology).items():
        for what, others in (
            ("a consumer group", topology.consumer_groups),
            ("a streams application", topology.streams),
        ):
            if name in others:
                yield Problem(
                    f"{name}: a share group and {what} have this id, and Kafka allows one type for an id; expected"
                    " different ids",
                    group.name_place(),
                    name,
                    "rename the group that has no offsets yet",
                    related=(Related(others[name].location, what),),
                    kind="shareGroup",
                )


GOOD = (on_cluster('kafka: "4.2"', PACKERS + "consumerGroups:\n  billing: {topics: [orders]}\n"),)
BAD = (
    Bad(on_cluster('kafka: "4.2"', PACKERS + "consumerGroups:\n  packers: {topics: [orders]}\n"), line=6, column=3),
    Bad(on_cluster('kafka: "4.2"', PACKERS + "streams:\n  packers: {reads: [orders]}\n"), line=6, column=3),
)

RULE = rule(DOCS, Severity.ERROR, check, GOOD, BAD)
