from __future__ import annotations

from collections.abc import Iterator

from ...topology.findings import Severity
from ...topology.partitioners import OPAQUE_PARTITIONERS
from ..rule import Bad, Context, Problem, Rule


def check(context: Context) -> Iterator[Problem]:
    for topic in context.topology.topics.values():
        if topic.key is None or topic.key.partitioner.name not in OPAQUE_PARTITIONERS:
            continue
        if topic.key.partitioner.expression is None and topic.partitions > 1:
            yield Problem(
                f"{topic.name}: key.partitioner is {topic.key.partitioner.name}, so nobody can tell where a key"
                " belongs; expected a range, a list or an expression",
                topic.place("key", "partitioner"),
                topic.name,
                "declare the rule as {range: …}, {list: …} or {expression: …}",
            )


RULE = Rule(
    id="KT212",
    name="partitioner-not-verifiable",
    severity=Severity.ADVICE,
    summary="Keys are placed by code that the topology does not describe.",
    why="""\
With `explicit` or `custom` alone, the placement of records can be neither checked nor explained, and a second producer
has to guess it.""",
    fix="Describe the placement as a `range`, a `list` or an `expression`; then `kafka-topology check` can verify it.",
    requirements=("R10",),
    check=check,
    good=(
        """\
version: 1
topics:
  orders:
    partitions: 2
    replication: 3
    key: {type: string, partitioner: {list: {eu: 0, us: 1}}}
""",
    ),
    bad=(
        Bad(
            """\
version: 1
topics:
  orders: {partitions: 6, replication: 3, key: {type: string, partitioner: custom}}
""",
            line=3,
            column=76,
        ),
    ),
)
