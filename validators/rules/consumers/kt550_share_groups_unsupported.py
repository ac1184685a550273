from __future__ import annotations

from collections.abc import Iterator

from kafka_topology.topology.kafka.share_groups import has_share_groups
from kafka_topology.topology.model.findings import Related, Severity
from kafka_topology.validators.engine.examples import PACKERS, on_cluster
from kafka_topology.validators.engine.rule import Bad, Context, Problem, rule

DOCS = """\
# KT550: share-groups-unsupported

A share group is declared for a Kafka version without share groups.

Share groups (KIP-932) came with Kafka 4.1. Kafka 4.0 had an early access version of them, with other requests and
without an upgrade path. On an older cluster, `pulumi up` refuses the group, and its consumers cannot join.

Fix: Use a consumer group, or set `cluster.kafka` to the version that runs: 4.1 or later.
"""


def check(context: Context) -> Iterator[Problem]:
    cluster = context.topology.cluster
    if has_share_groups(cluster):
        return
    for name, group in context.topology.share_groups.items():
        yield Problem(
            f"{name}: Kafka {cluster.kafka} has no share groups; expected Kafka 4.1 or later",
            group.name_place(),
            name,
            "use a consumer group, or correct `cluster.kafka`",
            related=(Related(cluster.place("kafka").location, "the declared version"),),
        )


GOOD = (on_cluster('kafka: "4.2"', PACKERS),)
BAD = (
    Bad(on_cluster('kafka: "3.9"', PACKERS), line=6, column=3),
    Bad(on_cluster('kafka: "4.0"', PACKERS), line=6, column=3),
)

RULE = rule(DOCS, Severity.ERROR, check, GOOD, BAD)
