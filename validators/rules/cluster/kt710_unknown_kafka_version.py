from __future__ import annotations

from collections.abc import Iterator

from kafka_topology.topology.kafka.catalogue import VERSIONS
from kafka_topology.topology.model.findings import Severity
from kafka_topology.validators.engine.helpers import cluster_name
from kafka_topology.validators.engine.rule import Bad, Context, Problem, rule

DOCS = f"""\
# KT710: unknown-kafka-version

The rules have no list of settings for the declared version of Kafka.

Settings, their ranges and their defaults are known for Kafka {VERSIONS[0]} to {VERSIONS[-1]}. For another version,
those of the nearest known one are used: a setting that your brokers do not have may pass, and one that they have may be
reported.

Fix: Declare the version that the brokers run. If it is one that is not known, silence this finding, and read findings
about settings with care.
"""


def check(context: Context) -> Iterator[Problem]:
    cluster = context.topology.cluster
    judged = context.settings.catalogue.version
    if ".".join(cluster.kafka.split(".")[:2]) in VERSIONS:
        return
    name = cluster_name(context.topology)
    yield Problem(
        f"{name}: the settings of Kafka {cluster.kafka} are not known, so those of {judged} are used; expected"
        f" {VERSIONS[0]} to {VERSIONS[-1]}",
        cluster.place("kafka"),
        name,
        "correct `cluster.kafka`, or check settings and defaults yourself",
    )


GOOD = ('version: 1\ncluster: {kafka: "3.9.1", brokers: 3}\n',)
BAD = (
    Bad('version: 1\ncluster: {kafka: "3.6", brokers: 3}\n', line=2, column=18),
    Bad('version: 1\ncluster: {kafka: "5.0", brokers: 3}\n', line=2, column=18),
)

RULE = rule(DOCS, Severity.WARNING, check, GOOD, BAD)
