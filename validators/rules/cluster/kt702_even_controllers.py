from __future__ import annotations

from collections.abc import Iterator

from kafka_topology.topology.model.findings import Severity
from kafka_topology.validators.engine.helpers import cluster_name
from kafka_topology.validators.engine.rule import Bad, Context, Problem, rule

DOCS = """\
# KT702: even-controllers

The number of controllers is even.

Controllers decide by majority. Four of them need three, so they survive the loss of one, exactly as three do. The
fourth is only one more that can fail, and a network split down the middle leaves no majority on either side.

Fix: Run 3 or 5 controllers.
"""


def check(context: Context) -> Iterator[Problem]:
    cluster = context.topology.cluster
    if cluster.controllers is not None and cluster.controllers % 2 == 0:
        name = cluster_name(context.topology)
        lost = (cluster.controllers - 1) // 2
        yield Problem(
            f"{name}: controllers is {cluster.controllers}, which survives the loss of {lost}, the same as one"
            " fewer; expected an odd number",
            cluster.place("controllers"),
            name,
            f"run {cluster.controllers + 1} controllers, or {max(cluster.controllers - 1, 1)}",
        )


GOOD = ("version: 1\ncluster: {controllers: 3}\n",)
BAD = (Bad("version: 1\ncluster: {controllers: 4}\n", line=2, column=24),)

RULE = rule(DOCS, Severity.WARNING, check, GOOD, BAD, requirements=("R3",))
