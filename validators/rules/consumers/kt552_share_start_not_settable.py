from __future__ import annotations

from collections.abc import Iterator

from kafka_topology.topology.kafka.share_groups import version_of
from kafka_topology.topology.model.findings import Severity
from kafka_topology.validators.engine.examples import PACKERS, on_cluster
from kafka_topology.validators.engine.rule import Bad, Context, Problem, rule

DOCS = """\
# KT552: share-start-not-settable

A share group declares `start` or `reset`, which need Kafka 4.2.

The brokers of Kafka 4.1 accept the request that sets the start offsets of a share group, answer without an error, and
do nothing. `pulumi up` notices that and fails.

Fix: Set `share.auto.offset.reset` in `groupConfig`, which Kafka 4.1 has, or upgrade the cluster to Kafka 4.2.
"""


def check(context: Context) -> Iterator[Problem]:
    if version_of(context.topology.cluster) != (4, 1):
        return  # KT550 reports share groups on older versions
    for name, group in context.topology.share_groups.items():
        for field, value in (("start", group.start), ("reset", group.reset)):
            if value is not None:
                yield Problem(
                    f"{name}: Kafka 4.1 cannot set the start offsets that `{field}` asks for; expected Kafka 4.2 or"
                    " later",
                    group.name_place(field),
                    name,
                    "remove it, and set share.auto.offset.reset in `groupConfig`",
                )


GOOD = (
    on_cluster('kafka: "4.2"', PACKERS + "    start: earliest\n"),
    on_cluster('kafka: "4.1"', PACKERS + "    groupConfig: {share.auto.offset.reset: earliest}\n"),
)
BAD = (
    Bad(on_cluster('kafka: "4.1"', PACKERS + "    start: earliest\n"), line=8, column=5),
    Bad(on_cluster('kafka: "4.1"', PACKERS + "    reset: {to: latest, ticket: INC-7}\n"), line=8, column=5),
)

RULE = rule(DOCS, Severity.ERROR, check, GOOD, BAD)
