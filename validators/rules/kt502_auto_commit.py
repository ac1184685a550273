from __future__ import annotations

from collections.abc import Iterator

from ...topology.findings import Severity
from ..helpers import place_of, shown
from ..rule import Bad, Context, Problem, Rule


def check(context: Context) -> Iterator[Problem]:
    for reader in context.index.clients.groups:
        if reader.delivery == "at-most-once" or reader.value("enable.auto.commit") != "true":
            continue
        auto_commit = reader.setting("enable.auto.commit")
        if auto_commit is None:
            continue
        yield Problem(
            f"{reader.name}: enable.auto.commit is {shown(auto_commit)} with {reader.delivery} delivery;"
            " expected false",
            place_of(auto_commit, reader.declared),
            reader.name,
            "set enable.auto.commit to false, and let the application commit after it has processed the records",
        )


RULE = Rule(
    id="KT502",
    name="auto-commit",
    severity=Severity.ERROR,
    summary="A group that promises at least once or exactly once lets its offsets be committed by a timer.",
    why="""\
Auto-commit, Kafka's default, commits in the background what was handed out, whether or not it was processed. An
application that hands records to other threads loses those that were committed and not done when it stops; one that
stops between two commits repeats work. At least once means: process, then commit. Exactly once commits the offsets in
the transaction.""",
    fix="Set `enable.auto.commit: false` and commit after processing; or declare `delivery: at-most-once`.",
    requirements=("R19", "R18"),
    check=check,
    good=(
        """\
version: 1
topics:
  orders: {partitions: 6, replication: 3}
consumerGroups:
  billing: {topics: [orders], delivery: at-least-once, config: {enable.auto.commit: false}}
""",
        """\
version: 1
topics:
  clicks: {partitions: 6, replication: 3}
consumerGroups:
  dashboard: {topics: [clicks], delivery: at-most-once}
""",
    ),
    bad=(
        Bad(
            """\
version: 1
topics:
  orders: {partitions: 6, replication: 3}
consumerGroups:
  billing:
    topics: [orders]
    delivery: at-least-once
    config: {enable.auto.commit: true}
""",
            line=8,
            column=34,
        ),
        Bad(
            """\
version: 1
topics:
  orders: {partitions: 6, replication: 3}
consumerGroups:
  billing:
    topics: [orders]
""",
            line=5,
            column=3,
        ),
        Bad(
            """\
version: 1
topics:
  orders: {partitions: 6, replication: 3}
consumerGroups:
  billing:
    topics: [orders]
    delivery: exactly-once
    config:
      isolation.level: read_committed
""",
            line=5,
            column=3,
        ),
    ),
)
