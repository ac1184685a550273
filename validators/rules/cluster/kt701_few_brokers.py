from __future__ import annotations

from collections.abc import Iterator

from kafka_topology.topology.model.findings import Severity
from kafka_topology.topology.model.words import counted
from kafka_topology.validators.engine.helpers import cluster_name
from kafka_topology.validators.engine.rule import Bad, Context, Problem, rule

DOCS = """\
# KT701: few-brokers

The cluster has fewer than three brokers.

Three replicas with two in sync survive the loss of one broker. With fewer brokers, no setting is both safe and
available.

Fix: Run at least three brokers. On a development cluster, turn the rule off in that environment.
"""


def check(context: Context) -> Iterator[Problem]:
    cluster = context.topology.cluster
    if cluster.brokers is not None and len(cluster.brokers) < 3:
        name = cluster_name(context.topology)
        yield Problem(
            f"{name}: the cluster has {counted(len(cluster.brokers), 'broker')}; expected at least 3",
            cluster.place("brokers"),
            name,
            "run at least 3 brokers",
        )


GOOD = ("version: 1\ncluster: {brokers: 3}\n",)
BAD = (
    Bad("version: 1\ncluster: {brokers: 2}\n", line=2, column=20),
    Bad("version: 1\ncluster:\n  brokers:\n    - {id: 1}\n", line=3, column=3),
)

RULE = rule(DOCS, Severity.WARNING, check, GOOD, BAD, requirements=("R3",))
