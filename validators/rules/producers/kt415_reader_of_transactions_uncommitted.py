from __future__ import annotations

from collections.abc import Iterator

from ...topology.findings import Related, Severity
from ..helpers import own_edit, place_of
from ..rule import Bad, Context, Problem, Rule


def check(context: Context) -> Iterator[Problem]:
    transactional = {
        topic: writer for writer in context.index.clients.writers if writer.is_exactly_once for topic in writer.topics
    }
    if not transactional:
        return
    for reader in context.index.clients.readers:
        topic = next((name for name in reader.topics if name in transactional), None)
        if topic is None or reader.delivery == "exactly-once" or reader.reads_committed:
            continue  # KT507 speaks of a reader that itself promises exactly once
        isolation = reader.setting("isolation.level")
        if isolation is None:
            continue
        writer = transactional[topic]
        yield Problem(
            f"{reader.name}: isolation.level is {isolation.value}, and {writer.name} writes {topic} exactly once;"
            " expected read_committed",
            place_of(isolation, reader.declared),
            reader.name,
            f"set isolation.level of {reader.name} to read_committed, so that it does not see aborted records",
            related=(Related(writer.declared.place("delivery").location, f"{writer.name} writes in transactions"),),
            edits=own_edit(isolation, "read_committed"),
        )


RULE = Rule(
    id="KT415",
    name="reader-of-transactions-uncommitted",
    severity=Severity.ERROR,
    summary="A topic is written exactly once, and one of its readers does not wait for committed transactions.",
    why="""\
An aborted transaction stays in the log: only a reader with `isolation.level: read_committed` skips it. Kafka's default
is `read_uncommitted`, which delivers aborted records, and then their repetition, as if both were true.""",
    fix="Set `isolation.level: read_committed` in every reader of a topic that is written in transactions.",
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
  billing: {topics: [orders], config: {isolation.level: read_committed}}
streams:
  copying: {reads: [orders], config: {processing.guarantee: exactly_once_v2}}
""",
    ),
    bad=(
        Bad(
            """\
version: 1
topics:
  orders: {partitions: 6, replication: 3}
producers:
  checkout: {topics: [orders], delivery: exactly-once, transactionalId: checkout-}
consumerGroups:
  billing:
    topics: [orders]
    delivery: at-least-once
""",
            line=7,
            column=3,
        ),
        Bad(
            """\
version: 1
topics:
  orders: {partitions: 6, replication: 3}
producers:
  checkout: {topics: [orders], delivery: exactly-once, transactionalId: checkout-}
streams:
  copying:
    reads: [orders]
    config: {consumer.isolation.level: read_uncommitted}
""",
            line=9,
            column=40,
        ),
    ),
)
