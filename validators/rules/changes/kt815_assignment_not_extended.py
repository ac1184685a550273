from __future__ import annotations

from collections.abc import Iterator

from ...topology.findings import Related, Severity
from ..assignments import listed, teams
from ..helpers import count_place
from ..rule import Bad, Context, Problem, Rule


def check(context: Context) -> Iterator[Problem]:
    grown = {new.name: (old, new) for old, new in context.changes.topics if new.partitions > old.partitions}
    if not grown:
        return
    for name, team in teams(context.topology):
        if name not in grown:
            continue
        old, new = grown[name]
        unread = set(range(old.partitions, new.partitions)).difference(*(group.assign[name] for group in team))
        if not unread:
            continue
        who = " and ".join(group.name for group in team)
        yield Problem(
            f"{who}: {name} grows from {old.partitions} to {new.partitions} partitions, and nobody is assigned"
            f" partition {listed(unread)}; expected all {new.partitions}",
            team[-1].place("assign", name),
            team[-1].name,
            f"assign partition {listed(unread)} of {name} in the same change",
            related=(Related(count_place(context.topology, new, "partitions").location, f"{name} grows here"),),
        )


RULE = Rule(
    id="KT815",
    name="assignment-not-extended",
    severity=Severity.ERROR,
    summary="A topic gets partitions that its standalone consumers do not take.",
    why="""\
A consumer that assigns its partitions itself is not told of new ones. Producers start to write to them at once, and
those records wait unread until their retention is over.""",
    fix="Extend `assign` in the same change as `partitions`, and roll the consumer out first.",
    requirements=("R26",),
    about_changes=True,
    before="""\
version: 1
topics:
  orders: {partitions: 2, replication: 3}
consumerGroups:
  loader: {assign: {orders: [0, 1]}}
""",
    check=check,
    good=(
        """\
version: 1
topics:
  orders: {partitions: 4, replication: 3}
consumerGroups:
  loader: {assign: {orders: [0, 1, 2, 3]}}
""",
    ),
    bad=(
        Bad(
            """\
version: 1
topics:
  orders: {partitions: 4, replication: 3}
consumerGroups:
  loader: {assign: {orders: [0, 1]}}
""",
            line=5,
            column=29,
        ),
    ),
)
