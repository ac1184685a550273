from __future__ import annotations

from collections.abc import Iterator

from kafka_topology.topology.kafka.share_groups import version_of
from kafka_topology.topology.model.findings import Severity
from kafka_topology.validators.engine.examples import PACKERS, on_cluster
from kafka_topology.validators.engine.rule import Bad, Context, Problem, rule

DOCS = """\
# KT551: share-groups-in-preview

A share group is declared for Kafka 4.1, where share groups are a preview.

Kafka 4.1 has share groups only after `kafka-features upgrade --feature share.version=1`, and its documentation advises
against using them in production. Kafka 4.2 is the first release that supports them fully. `pulumi up` refuses a share
group while the feature is off.

Fix: Upgrade the cluster to Kafka 4.2. If you try share groups out on 4.1, turn this rule off.
"""


def check(context: Context) -> Iterator[Problem]:
    if version_of(context.topology.cluster) != (4, 1):
        return
    for name, group in context.topology.share_groups.items():
        yield Problem(
            f"{name}: share groups are a preview in Kafka 4.1; expected Kafka 4.2 or later for production",
            group.name_place(),
            name,
            "upgrade the cluster, or use a consumer group until then",
        )


GOOD = (on_cluster('kafka: "4.2"', PACKERS),)
BAD = (Bad(on_cluster('kafka: "4.1"', PACKERS), line=6, column=3),)

RULE = rule(DOCS, Severity.WARNING, check, GOOD, BAD)
