from __future__ import annotations

from collections.abc import Iterator

from kafka_topology.topology.model.findings import Related, Severity
from kafka_topology.validators.engine.examples import ORDERED
from kafka_topology.validators.engine.rule import Bad, Context, Problem, rule
from kafka_topology.validators.facts.partitioners import name_of

DOCS = """\
# KT205: several-writers-of-ordered-topic

Several applications write one ordered topic.

A partition keeps the order in which records arrive. Two producers do not wait for each other, so the order of
arrival says nothing about the order of events. For total order this is an error.

Fix: Let one application write the topic, or give each writer its own topic. Writers that never share a key do keep
order per key: suppress the rule there with that reason.
"""


def check(context: Context) -> Iterator[Problem]:
    for topic in context.topology.topics.values():
        if topic.ordering == "none":
            continue
        writers = context.index.writers_of(topic.name)
        if len(writers) < 2:
            continue
        names = ", ".join(name_of(writer) for writer in writers)
        yield Problem(
            f"{topic.name}: ordering is {topic.ordering}, but {len(writers)} applications write the topic"
            f" ({names}); expected one",
            topic.place("ordering"),
            topic.name,
            "let one application write the topic, or give each its own topic; if they never share a key,"
            " suppress the rule here with that reason",
            tuple(Related(writer.location, f"{name_of(writer)} writes it") for writer in writers),
            severity=Severity.ERROR if topic.ordering == "total" else None,
        )


GOOD = (
    ORDERED
    + """\
  clicks: {partitions: 6, replication: 3}
producers:
  checkout: {topics: [orders, clicks]}
  web: {topics: [clicks]}
""",
)
BAD = (
    Bad(ORDERED + "producers:\n  checkout: {topics: [orders]}\n  returns: {topics: [orders]}\n", line=3, column=53),
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
)

RULE = rule(DOCS, Severity.WARNING, check, GOOD, BAD, requirements=("R9",))
