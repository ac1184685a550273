from __future__ import annotations

from collections.abc import Iterator

from ...topology.findings import Severity
from ..rule import Bad, Context, Problem, Rule


def check(context: Context) -> Iterator[Problem]:
    for group in context.topology.consumer_groups.values():
        if group.max_lag is None:
            yield Problem(
                f"{group.name}: nothing says how far it may be behind; expected `maxLag`",
                group.place(),
                group.name,
                "add `maxLag`, the number of records it may be behind before someone must look",
            )


RULE = Rule(
    id="KT516",
    name="no-max-lag",
    severity=Severity.ADVICE,
    summary="A group does not declare how far it may be behind.",
    why="""\
Lag is the end of the log minus what the group has committed. How much of it is a problem only the application knows: a
report may be a day behind, a fraud check may not be a second. `audit` compares the live lag with `maxLag`; without it,
a group that stands still looks fine.""",
    fix="Declare `maxLag` on the group.",
    requirements=("R22",),
    check=check,
    good=(
        """\
version: 1
topics:
  orders: {partitions: 6, replication: 3}
consumerGroups:
  billing: {topics: [orders], maxLag: 10000}
""",
    ),
    bad=(
        Bad(
            """\
version: 1
topics:
  orders: {partitions: 6, replication: 3}
consumerGroups:
  billing:
    topics: [orders]
""",
            line=5,
            column=3,
        ),
    ),
)
