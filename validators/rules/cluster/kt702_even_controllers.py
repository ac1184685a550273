from __future__ import annotations

from collections.abc import Iterator

from ...topology.findings import Severity
from ..helpers import cluster_name
from ..rule import Bad, Context, Problem, Rule


def check(context: Context) -> Iterator[Problem]:
    cluster = context.topology.cluster
    if cluster.controllers is not None and cluster.controllers % 2 == 0:
        name = cluster_name(context.topology)
        lost = (cluster.controllers - 1) // 2
        yield Problem(
            f"{name}: controllers is {cluster.controllers}, which bears the loss of {lost}, as one fewer does;"
            " expected an odd number",
            cluster.place("controllers"),
            name,
            f"run {cluster.controllers + 1} controllers, or {max(cluster.controllers - 1, 1)}",
        )


RULE = Rule(
    id="KT702",
    name="even-controllers",
    severity=Severity.WARNING,
    summary="An even number of controllers.",
    why="""\
The controllers decide by majority. Four of them need three, so they bear the loss of one, exactly as three do; the
fourth only adds one more that can fail, and a network cut in half leaves no majority on either side.""",
    fix="Run 3 or 5 controllers.",
    requirements=("R3",),
    check=check,
    good=("version: 1\ncluster: {controllers: 3}\n",),
    bad=(Bad("version: 1\ncluster: {controllers: 4}\n", line=2, column=24),),
)
