from __future__ import annotations

from collections.abc import Iterator

from ...topology.findings import Related, Severity
from ..rule import Bad, Context, Problem, Rule


def check(context: Context) -> Iterator[Problem]:
    for topic in context.changes.removed_topics:
        if topic.deletion != "protected":
            continue
        yield Problem(
            f"{topic.name}: the topic is gone from the topology, and it is protected; expected it here, or"
            " `deletion: allowed` in an earlier change",
            context.changes.section("topics"),
            topic.name,
            "put it back; to delete it, first apply `deletion: allowed`, then remove it",
            related=(Related(topic.location, f"{topic.name} was here"),),
        )


RULE = Rule(
    id="KT804",
    name="protected-topic-removed",
    severity=Severity.ERROR,
    summary="A protected topic was removed from the topology.",
    why="""\
To remove a topic is to delete its records. Every topic is protected unless the file says otherwise, so a deletion takes
two changes that two people can see: one that allows it, and one that does it.""",
    fix="Set `deletion: allowed` first, apply it, then remove the topic.",
    requirements=("R7",),
    about_changes=True,
    before="""\
version: 1
topics:
  orders: {partitions: 6, replication: 3}
  scratch: {partitions: 6, replication: 3, deletion: allowed}
""",
    check=check,
    good=(
        """\
version: 1
topics:
  orders: {partitions: 6, replication: 3}
""",
    ),
    bad=(
        Bad(
            """\
version: 1
topics:
  scratch: {partitions: 6, replication: 3, deletion: allowed}
""",
            line=2,
            column=1,
        ),
    ),
)
