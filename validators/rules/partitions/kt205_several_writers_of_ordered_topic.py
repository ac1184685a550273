from __future__ import annotations

from collections.abc import Iterator

from ...topology.findings import Related, Severity
from ..partitioners import name_of
from ..rule import Bad, Context, Problem, Rule


def check(context: Context) -> Iterator[Problem]:
    for topic in context.topology.topics.values():
        if topic.ordering == "none":
            continue
        writers = context.index.writers_of(topic.name)
        if len(writers) < 2:
            continue
        names = ", ".join(name_of(writer) for writer in writers)
        yield Problem(
            f"{topic.name}: ordering is {topic.ordering} and {len(writers)} applications write it ({names});"
            " expected one",
            topic.place("ordering"),
            topic.name,
            "let one application write the topic, or give each its own topic; if they never share a key, ignore the"
            " rule here with that reason",
            tuple(Related(writer.location, f"{name_of(writer)} writes it") for writer in writers),
            severity=Severity.ERROR if topic.ordering == "total" else None,
        )


RULE = Rule(
    id="KT205",
    name="several-writers-of-ordered-topic",
    severity=Severity.WARNING,
    summary="Several applications write one ordered topic.",
    why="""\
A partition keeps the order in which records arrive. Two producers do not wait for each other, so the order in which
their records arrive says nothing about the order in which things happened. For total order this is an error.""",
    fix="""\
Let one application write the topic, or give each writer its own topic. Writers that never share a key do keep order per
key: ignore the rule there, with that reason.""",
    requirements=("R9",),
    check=check,
    good=(
        """\
version: 1
topics:
  orders: {partitions: 6, replication: 3, ordering: per-key, key: {type: uuid}}
  clicks: {partitions: 6, replication: 3}
producers:
  checkout: {topics: [orders, clicks]}
  web: {topics: [clicks]}
""",
    ),
    bad=(
        Bad(
            """\
version: 1
topics:
  orders: {partitions: 6, replication: 3, ordering: per-key, key: {type: uuid}}
producers:
  checkout: {topics: [orders]}
  returns: {topics: [orders]}
""",
            line=3,
            column=53,
        ),
        Bad(
            """\
version: 1
topics:
  payments: {partitions: 6, replication: 3}
  ledger: {partitions: 1, replication: 3, ordering: total}
producers:
  bank: {topics: [ledger]}
streams:
  booking: {reads: [payments], writes: [ledger]}
""",
            line=4,
            column=53,
        ),
    ),
)
