from __future__ import annotations

from collections.abc import Iterator

from ...topology.findings import Severity
from ..rule import Bad, Context, Problem, Rule

KEY = "min.insync.replicas"


def check(context: Context) -> Iterator[Problem]:
    if KEY in context.topology.cluster.defaults:
        return
    for topic in context.topology.topics.values():
        if KEY not in topic.config and topic.replication > 1:
            expected = max(topic.replication - 1, 1)
            yield Problem(
                f"{topic.name}: {KEY} is left to the brokers, and their default is not declared (Kafka's is 1);"
                f" expected {expected} with {topic.replication} replicas",
                topic.place(),
                topic.name,
                f"set {KEY} to {expected} on the topic or its profile, or declare the brokers' under cluster.defaults",
            )


RULE = Rule(
    id="KT107",
    name="min-isr-undeclared",
    severity=Severity.WARNING,
    summary="`min.insync.replicas` comes from a broker default that nobody declared.",
    why="""\
What the topic survives then depends on a broker's configuration file that no review sees. Kafka's own default of 1
makes `acks=all` as weak as `acks=1` at the worst moment.""",
    fix="Set `min.insync.replicas` on the topic or its profile, or declare the brokers' under `cluster.defaults`.",
    requirements=("R1",),
    check=check,
    good=(
        """\
version: 1
topics:
  orders: {partitions: 6, replication: 3, config: {min.insync.replicas: 2}}
""",
        """\
version: 1
cluster: {defaults: {min.insync.replicas: 2}}
topics:
  orders: {partitions: 6, replication: 3}
""",
    ),
    bad=(
        Bad(
            """\
version: 1
topics:
  orders:
    partitions: 6
    replication: 3
""",
            line=3,
            column=3,
        ),
    ),
)
