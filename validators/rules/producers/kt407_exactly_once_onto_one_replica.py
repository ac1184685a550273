from __future__ import annotations

from collections.abc import Iterator

from ...topology.findings import Severity
from ..helpers import own_edit, place_of, shown
from ..rule import Bad, Context, Problem, Rule


def check(context: Context) -> Iterator[Problem]:
    topics = context.topology.topics
    writers: dict[str, list[str]] = {}
    for writer in context.index.clients.writers:
        if writer.is_exactly_once:
            for name in writer.topics:
                writers.setdefault(name, []).append(writer.name)
    for name, by in writers.items():
        topic = topics.get(name)
        min_isr = context.settings.topic(topic, "min.insync.replicas") if topic is not None else None
        if topic is None or min_isr is None or min_isr.number is None or min_isr.number >= 2:
            continue
        remedy = "set min.insync.replicas to 2"
        if topic.replication < 3:
            remedy += " and replication to 3"
        yield Problem(
            f"{name}: min.insync.replicas is {shown(min_isr)} while {', '.join(by)} writes it exactly once;"
            " expected 2 or more",
            place_of(min_isr, topic),
            name,
            remedy,
            edits=own_edit(min_isr, "2") if topic.replication >= 3 else (),
        )


RULE = Rule(
    id="KT407",
    name="exactly-once-onto-one-replica",
    severity=Severity.ERROR,
    summary="A producer writes exactly once onto a topic where one replica is enough to acknowledge a record.",
    why="""\
`acks=all` waits for all replicas that are in sync, and with `min.insync.replicas: 1` that may be the leader alone. When
that broker is lost, so is a committed transaction: exactly once becomes at most once, and nobody is told.""",
    fix="Set `min.insync.replicas: 2` with a replication of 3 on every topic that is written exactly once.",
    requirements=("R16", "R18"),
    check=check,
    good=(
        """\
version: 1
topics:
  orders: {partitions: 6, replication: 3, config: {min.insync.replicas: 2}}
producers:
  checkout: {topics: [orders], delivery: exactly-once, transactionalId: checkout-}
""",
    ),
    bad=(
        Bad(
            """\
version: 1
topics:
  orders: {partitions: 6, replication: 3, config: {min.insync.replicas: 1}}
producers:
  checkout: {topics: [orders], delivery: exactly-once, transactionalId: checkout-}
""",
            line=3,
            column=73,
        ),
        Bad(
            """\
version: 1
topics:
  orders:
    partitions: 6
    replication: 3
producers:
  checkout: {topics: [orders], delivery: exactly-once, transactionalId: checkout-}
""",
            line=3,
            column=3,
        ),
        Bad(
            """\
version: 1
cluster:
  defaults: {min.insync.replicas: 1}
topics:
  orders: {partitions: 6, replication: 3}
  totals: {partitions: 6, replication: 3, config: {min.insync.replicas: 2}}
streams:
  copying: {reads: [totals], writes: [orders], delivery: exactly-once}
""",
            line=3,
            column=35,
        ),
    ),
)
