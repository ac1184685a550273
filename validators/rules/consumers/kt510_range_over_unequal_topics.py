from __future__ import annotations

from collections.abc import Iterator

from ...topology.findings import Severity
from ..helpers import place_of
from ..rule import Bad, Context, Problem, Rule


def check(context: Context) -> Iterator[Problem]:
    topics = context.topology.topics
    for reader in context.index.clients.groups:
        if len(reader.topics) < 2 or reader.is_standalone or reader.assignor != "range":
            continue
        counts = {name: topics[name].partitions for name in reader.topics if name in topics}
        if len(set(counts.values())) < 2:
            continue
        server_side = reader.protocol == "consumer"
        name = "group.remote.assignor" if server_side else "partition.assignment.strategy"
        setting = reader.setting(name)
        listed = ", ".join(f"{topic} has {count}" for topic, count in counts.items())
        better = "uniform" if server_side else "org.apache.kafka.clients.consumer.CooperativeStickyAssignor"
        yield Problem(
            f"{reader.name}: the range assignor deals out topics with different partition counts ({listed}), so the"
            f" first members get more; expected equal counts, or another assignor",
            place_of(setting, reader.declared) if setting is not None else reader.declared.place(),
            reader.name,
            f"set {name} to {better}, or give the topics equal partition counts",
        )


RULE = Rule(
    id="KT510",
    name="range-over-unequal-topics",
    severity=Severity.ADVICE,
    summary="The range assignor deals out topics with different numbers of partitions.",
    why="""\
The range assignor deals out each topic by itself, always from the first member on. That puts partition 3 of one topic
beside partition 3 of the other, which is what a join wants, and which only means something when the counts are equal.
With different counts the first members get a larger share of every topic, and nothing is joined.""",
    fix="Use an assignor that deals out all partitions together, such as cooperative-sticky or uniform.",
    requirements=("R24",),
    check=check,
    good=(
        """\
version: 1
topics:
  orders: {partitions: 6, replication: 3}
  payments: {partitions: 6, replication: 3}
consumerGroups:
  billing: {topics: [orders, payments]}
""",
    ),
    bad=(
        Bad(
            """\
version: 1
topics:
  orders: {partitions: 6, replication: 3}
  payments: {partitions: 4, replication: 3}
consumerGroups:
  billing:
    topics: [orders, payments]
    config:
      partition.assignment.strategy: org.apache.kafka.clients.consumer.RangeAssignor
""",
            line=9,
            column=38,
        ),
        Bad(
            """\
version: 1
topics:
  orders: {partitions: 6, replication: 3}
  payments: {partitions: 4, replication: 3}
consumerGroups:
  billing:
    topics: [orders, payments]
    config: {group.protocol: consumer, group.remote.assignor: range}
""",
            line=8,
            column=63,
        ),
    ),
)
