from __future__ import annotations

from collections.abc import Iterator

from ...topology.findings import Severity
from ..client_roles import Writer
from ..rule import Bad, Context, Problem, Rule


def check(context: Context) -> Iterator[Problem]:
    for writer in context.index.clients.writers:
        if writer.delivery != "exactly-once" or not _readers_are_known(context, writer):
            continue
        readers = {reader.name: reader for topic in writer.topics for reader in context.index.clients.readers_of(topic)}
        if any(reader.reads_committed for reader in readers.values()):
            continue
        who = f"none of its readers ({', '.join(sorted(readers))})" if readers else "nobody"
        yield Problem(
            f"{writer.name}: delivery is exactly-once, but {who} reads with isolation.level read_committed;"
            " at-least-once would do",
            writer.declared.place("delivery"),
            writer.name,
            "declare `delivery: at-least-once` (still idempotent), or make the readers read_committed",
        )


def _readers_are_known(context: Context, writer: Writer) -> bool:
    """A public topic may have readers that other teams declare."""
    topics = context.topology.topics
    return all(
        context.index.clients.readers_of(name) or (name in topics and topics[name].visibility == "private")
        for name in writer.topics
    )


RULE = Rule(
    id="KT410",
    name="exactly-once-for-nobody",
    severity=Severity.ADVICE,
    summary="A producer writes in transactions, and no reader waits for their end.",
    why="""\
Transactions cost latency, a coordinator round trip for each, and markers in every partition. A reader gets something
for that only with `isolation.level: read_committed`: any other one sees open and aborted transactions as well. What is
left then, no duplicates from retries, an idempotent at-least-once producer gives for free.""",
    fix="Declare `delivery: at-least-once`, or let the readers read committed records only.",
    requirements=("R18",),
    check=check,
    good=(
        """\
version: 1
topics:
  orders: {partitions: 6, replication: 3}
producers:
  checkout: {topics: [orders], delivery: exactly-once, transactionalId: checkout-}
consumerGroups:
  billing: {topics: [orders], delivery: exactly-once, config: {isolation.level: read_committed}}
""",
        """\
version: 1
topics:
  orders: {visibility: public, partitions: 6, replication: 3}
producers:
  checkout: {topics: [orders], delivery: exactly-once, transactionalId: checkout-}
""",
    ),
    bad=(
        Bad(
            """\
version: 1
topics:
  orders: {partitions: 6, replication: 3}
producers:
  checkout:
    topics: [orders]
    delivery: exactly-once
    transactionalId: checkout-
consumerGroups:
  billing: {topics: [orders]}
""",
            line=7,
            column=15,
        ),
    ),
)
