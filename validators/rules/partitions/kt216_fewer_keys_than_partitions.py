from __future__ import annotations

from collections.abc import Iterator

from ...topology.findings import Related, Severity
from ..helpers import count_place
from ..partitioners import looks_at_key
from ..rule import Bad, Context, Problem, Rule


def check(context: Context) -> Iterator[Problem]:
    for topic in context.topology.topics.values():
        key = topic.key
        if key is None or key.distinct is None or key.distinct >= topic.partitions:
            continue
        if looks_at_key(key.partitioner.name):
            yield Problem(
                f"{topic.name}: {key.distinct} distinct keys over {topic.partitions} partitions leave at least"
                f" {topic.partitions - key.distinct} empty; expected at most {key.distinct} partitions, or more keys",
                count_place(context.topology, topic, "partitions"),
                topic.name,
                f"use at most {key.distinct} partitions, or a key with more values",
                (Related(topic.place("key", "distinct").location, "the number of keys"),),
            )


RULE = Rule(
    id="KT216",
    name="fewer-keys-than-partitions",
    severity=Severity.WARNING,
    summary="There are fewer distinct keys than partitions.",
    why="""\
A key is in one partition. With fewer keys than partitions some stay empty, their consumers stand idle, and the others
carry everything.""",
    fix="Use fewer partitions, or a key with more values.",
    requirements=("R4", "R11", "R13"),
    check=check,
    good=(
        """\
version: 1
topics:
  orders: {partitions: 6, replication: 3, key: {type: string, distinct: 5000}}
""",
    ),
    bad=(
        Bad(
            """\
version: 1
topics:
  orders: {partitions: 6, replication: 3, key: {type: string, distinct: 4}}
""",
            line=3,
            column=24,
        ),
    ),
)
