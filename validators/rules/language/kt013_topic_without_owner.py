from __future__ import annotations

from collections.abc import Iterator

from ...topology.findings import Severity
from ..rule import Bad, Context, Problem, Rule


def check(context: Context) -> Iterator[Problem]:
    for topic in context.topology.topics.values():
        if not topic.owner:
            yield Problem(
                f"{topic.name}: no owner is declared; expected the team that answers for the topic",
                topic.place(),
                topic.name,
                "add `owner:` to the topic or its profile",
            )


RULE = Rule(
    id="KT013",
    name="topic-without-owner",
    severity=Severity.WARNING,
    summary="A topic for which nobody answers.",
    why="""\
When records go missing or a format must change, somebody has to be asked. The owner also decides who may use a private
topic.""",
    fix="Add `owner:` with the team's name, on the topic or on its profile.",
    check=check,
    good=(
        """\
version: 1
profiles:
  event: {owner: checkout, replication: 3}
topics:
  orders: {profile: event, partitions: 6}
""",
    ),
    bad=(Bad("version: 1\ntopics:\n  orders:\n    partitions: 6\n    replication: 3\n", line=3, column=3),),
)
