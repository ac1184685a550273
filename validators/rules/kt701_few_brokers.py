from __future__ import annotations

from collections.abc import Iterator

from ...topology.findings import Severity
from ..helpers import cluster_name, counted
from ..rule import Bad, Context, Problem, Rule


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


RULE = Rule(
    id="KT701",
    name="few-brokers",
    severity=Severity.WARNING,
    summary="A cluster with fewer than three brokers.",
    why="""\
Three replicas of which two must be in sync bear the loss of one broker. With fewer brokers there is no setting that is
both safe and available.""",
    fix="Run at least three brokers. On a cluster for development, turn the rule off in that environment.",
    requirements=("R3",),
    check=check,
    good=("version: 1\ncluster: {brokers: 3}\n",),
    bad=(
        Bad("version: 1\ncluster: {brokers: 2}\n", line=2, column=20),
        Bad("version: 1\ncluster:\n  brokers:\n    - {id: 1}\n", line=3, column=3),
    ),
)
