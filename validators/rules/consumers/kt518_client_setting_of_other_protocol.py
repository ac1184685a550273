from __future__ import annotations

from collections.abc import Iterator, Mapping

from ...topology.findings import Severity
from ..rule import Bad, Context, Problem, Rule

# What ConsumerConfig refuses, by protocol, and what to do instead.
_REFUSED: Mapping[str, Mapping[str, str]] = {
    "consumer": {
        "session.timeout.ms": "remove it, and set consumer.session.timeout.ms under `groupConfig`",
        "heartbeat.interval.ms": "remove it, and set consumer.heartbeat.interval.ms under `groupConfig`",
        "partition.assignment.strategy": "remove it, and choose with group.remote.assignor",
    },
    "classic": {"group.remote.assignor": "remove it, or set group.protocol to consumer"},
}


def check(context: Context) -> Iterator[Problem]:
    for reader in context.index.clients.groups:
        for name, remedy in _REFUSED.get(reader.protocol, {}).items():
            if name not in reader.declared.config:
                continue
            decides = "the brokers decide it" if reader.protocol == "consumer" else "the members decide it"
            yield Problem(
                f"{reader.name}: {name} is {reader.declared.config[name]} with the {reader.protocol} group protocol,"
                f" where {decides}; expected none",
                reader.declared.place("config", name),
                reader.name,
                remedy,
            )


RULE = Rule(
    id="KT518",
    name="client-setting-of-other-protocol",
    severity=Severity.ERROR,
    summary="A consumer sets what its group protocol leaves to the brokers.",
    why="""\
With `group.protocol: consumer`, the group protocol of Kafka 4, session timeout, heartbeat and assignment are decided by
the brokers, for all members alike. A Java consumer that sets them all the same throws a ConfigException and does not
start. With the classic protocol the same holds for `group.remote.assignor`.""",
    fix="Move the timeouts to `groupConfig` (or to the brokers), and the assignor to `group.remote.assignor`.",
    requirements=("R23", "R24"),
    check=check,
    good=(
        """\
version: 1
topics:
  orders: {partitions: 6, replication: 3}
consumerGroups:
  billing:
    topics: [orders]
    config: {group.protocol: consumer, group.remote.assignor: uniform}
    groupConfig: {consumer.session.timeout.ms: 45s}
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
    config:
      group.protocol: consumer
      session.timeout.ms: 10s
""",
            line=9,
            column=27,
        ),
        Bad(
            """\
version: 1
topics:
  orders: {partitions: 6, replication: 3}
consumerGroups:
  billing: {topics: [orders], config: {group.remote.assignor: uniform}}
""",
            line=5,
            column=63,
        ),
    ),
)
