from __future__ import annotations

from collections.abc import Iterator

from kafka_topology.topology.kafka.share_groups import version_of
from kafka_topology.topology.model.findings import Severity
from kafka_topology.validators.engine.examples import ORDERS, SUMMING, changed, on_cluster
from kafka_topology.validators.engine.rule import Bad, Context, Problem, rule

DOCS = """\
# KT527: streams-protocol-in-preview

A streams application uses `group.protocol: streams` on Kafka 4.1, where it is early access.

Brokers of Kafka 4.1 have the protocol (KIP-1071) only after `kafka-features upgrade --feature streams.version=1`, and
early access means that it is not for production. Without the feature, the brokers refuse its members as an
unsupported version, and the application stops. Kafka 4.2 is the first release that supports the protocol fully.

Fix: Upgrade the cluster to Kafka 4.2, or use `group.protocol: classic`. If you try it out on 4.1, turn this rule off.
"""

KEY = "group.protocol"


def check(context: Context) -> Iterator[Problem]:
    if version_of(context.topology.cluster) != (4, 1):
        return  # KT522 reports earlier versions
    for name, application in context.topology.streams.items():
        if application.config.get(KEY, "").lower() == "streams":
            yield Problem(
                f"{name}: {KEY} is streams, which is early access and off by default in Kafka 4.1; expected classic, or"
                " Kafka 4.2 or later",
                application.place("config", KEY),
                name,
                f"upgrade the cluster, or set {KEY} to classic until then",
            )


EXAMPLE = on_cluster('kafka: "4.2"', ORDERS + SUMMING + "    config: {group.protocol: streams}\n")

GOOD = (EXAMPLE, changed(EXAMPLE, {'"4.2"': '"4.1"', "group.protocol: streams": "group.protocol: classic"}))
BAD = (Bad(changed(EXAMPLE, {'"4.2"': '"4.1"'}), line=10, column=30),)

RULE = rule(DOCS, Severity.WARNING, check, GOOD, BAD, requirements=("R23", "R24"))
