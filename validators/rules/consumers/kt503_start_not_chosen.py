from __future__ import annotations

from collections.abc import Iterator

from ...topology.findings import Related, Severity
from ..rule import Bad, Context, Problem, Rule


def check(context: Context) -> Iterator[Problem]:
    for group in context.topology.consumer_groups.values():
        reset = group.config.get("auto.offset.reset")
        if group.start is None and reset is None:
            yield Problem(
                f"{group.name}: nothing says where a new group starts, and Kafka's default is latest, which skips what"
                " is already there; expected earliest or latest",
                group.place(),
                group.name,
                "add `start: earliest` (all records) or `start: latest` (only new ones)",
            )
        elif group.start == "earliest" and reset == "latest":
            yield Problem(
                f"{group.name}: start is earliest, but auto.offset.reset is latest, so records of a new partition or"
                " after lost offsets are skipped; expected earliest",
                group.place("config", "auto.offset.reset"),
                group.name,
                "set auto.offset.reset to earliest, or to none to be told",
                related=(Related(group.place("start").location, "the declared start"),),
            )


RULE = Rule(
    id="KT503",
    name="start-not-chosen",
    severity=Severity.WARNING,
    summary="A group does not say where it starts when it has no offsets.",
    why="""\
A group without committed offsets begins where `auto.offset.reset` says: `latest` unless set, so that everything
written before its first poll is skipped. That is right for a dashboard and wrong for a bill. The same happens again
for every partition that is added later, and for a group whose offsets have expired, so the two ways to say it must not
contradict each other.""",
    fix="Declare `start: earliest` or `start: latest`.",
    requirements=("R20",),
    check=check,
    good=(
        """\
version: 1
topics:
  orders: {partitions: 6, replication: 3}
consumerGroups:
  billing: {topics: [orders], start: earliest}
  dashboard: {topics: [orders], config: {auto.offset.reset: latest}}
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
        Bad(
            """\
version: 1
topics:
  orders: {partitions: 6, replication: 3}
consumerGroups:
  billing:
    topics: [orders]
    start: earliest
    config: {auto.offset.reset: latest}
""",
            line=8,
            column=33,
        ),
    ),
)
