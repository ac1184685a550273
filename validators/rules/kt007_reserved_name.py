from __future__ import annotations

from collections.abc import Iterator

from ...topology.findings import Severity
from ..rule import Bad, Context, Problem, Rule


def check(context: Context) -> Iterator[Problem]:
    for name, topic in context.topology.topics.items():
        if name.startswith("__"):
            yield Problem(
                f"{name}: names that begin with `__` belong to Kafka; expected another name",
                topic.place(),
                name,
                "remove the topic, or give it a name that does not begin with `__`",
            )


RULE = Rule(
    id="KT007",
    name="reserved-name",
    severity=Severity.ERROR,
    summary="A topic is named like Kafka's own: `__consumer_offsets` and all others that begin with `__`.",
    why="""\
The brokers create these topics themselves, and keep offsets, transactions, share groups and tiered storage in them.
Whoever changes their partitions or their cleanup policy loses that state.""",
    fix="Leave Kafka's topics to Kafka. Name your own differently.",
    requirements=("R35",),
    check=check,
    good=("version: 1\ntopics:\n  offsets: {partitions: 6, replication: 3}\n",),
    bad=(
        Bad(
            """\
version: 1
topics:
  __consumer_offsets:
    partitions: 50
    replication: 3
""",
            line=3,
            column=3,
        ),
    ),
)
