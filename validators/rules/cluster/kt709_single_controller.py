from __future__ import annotations

from collections.abc import Iterator

from kafka_topology.topology.model.findings import Severity
from kafka_topology.validators.engine.helpers import cluster_name
from kafka_topology.validators.engine.rule import Bad, Context, Problem, rule

DOCS = """\
# KT709: single-controller

The cluster has a single controller.

The controllers hold the metadata of the cluster and choose leaders. With one, its restart stops every change: no
leader is elected for the partitions of a lost broker, no topic is created, no setting or ACL changes. If its disk is
lost, so is the metadata of the whole cluster, however well the topics are replicated.

Fix: Run 3 controllers, or 5. On a development cluster of one broker, the rule reports nothing.
"""


def check(context: Context) -> Iterator[Problem]:
    cluster = context.topology.cluster
    if cluster.controllers != 1 or (cluster.brokers is not None and len(cluster.brokers) == 1):
        return  # KT701 reports a single broker
    name = cluster_name(context.topology)
    yield Problem(
        f"{name}: controllers is 1, so nothing elects leaders while it is down, and its disk is the only copy of the"
        " metadata; expected 3",
        cluster.place("controllers"),
        name,
        "run 3 controllers",
    )


GOOD = ("version: 1\ncluster: {brokers: 3, controllers: 3}\n", "version: 1\ncluster: {brokers: 1, controllers: 1}\n")
BAD = (
    Bad("version: 1\ncluster: {brokers: 3, controllers: 1}\n", line=2, column=36),
    Bad("version: 1\ncluster: {controllers: 1}\n", line=2, column=24),
)

RULE = rule(DOCS, Severity.WARNING, check, GOOD, BAD, requirements=("R3",))
