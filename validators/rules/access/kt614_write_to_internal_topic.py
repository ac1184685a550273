from __future__ import annotations

from collections.abc import Iterator

from kafka_topology.topology.kafka.names import KAFKA_TOPICS, is_kafkas_own
from kafka_topology.topology.model.declared import Acl
from kafka_topology.topology.model.findings import Severity
from kafka_topology.validators.engine.examples import OWNED_TOPICS
from kafka_topology.validators.engine.rule import Bad, Context, Problem, rule
from kafka_topology.validators.facts.access import resource_place

DOCS = """\
# KT614: write-to-internal-topic

A principal may write to or change one of Kafka's own topics.

In `__consumer_offsets` and `__transaction_state`, Kafka stores who has read what and which transactions are committed.
A single foreign record in them moves groups or crashes a broker. Topics of tools, such as `__debezium-heartbeat.shop`,
are not Kafka's own.

Fix: Remove the access. To change offsets, commit them or reset the group.
"""

_CHANGES = frozenset({"All", "Write", "Create", "Delete", "Alter", "AlterConfigs"})


def check(context: Context) -> Iterator[Problem]:
    for writer in context.index.clients.writers:
        for name in writer.topics:
            if is_kafkas_own(name):
                yield Problem(
                    f"{writer.name}: it writes {name}, which belongs to Kafka; expected its own topic",
                    writer.topic_place(name),
                    writer.name,
                    f"remove {name}",
                )
    for acl in context.topology.acls:
        operations = [operation for operation in acl.operations if operation in _CHANGES]
        if acl.resource != "topic" or acl.permission != "allow" or not operations:
            continue
        reached = next((name for name in KAFKA_TOPICS if _reaches(acl, name)), None)
        if reached is None:
            continue
        yield Problem(
            f"{acl.name}: {acl.principal} gets {', '.join(operations)} on {reached}, which belongs to Kafka; expected"
            " at most Read and Describe",
            resource_place(acl),
            acl.principal,
            "grant only Describe or Read, or use another name",
        )


def _reaches(acl: Acl, topic: str) -> bool:
    return topic == acl.name or (acl.pattern == "prefixed" and topic.startswith(acl.name))


GOOD = (
    """\
version: 1
acls:
  - {principal: "User:monitor", topic: __consumer_offsets, operations: [Describe]}
  - {principal: "User:cruise-control", topic: __CruiseControl, pattern: prefixed, operations: [Create, Write]}
""",
    OWNED_TOPICS + 'producers:\n  cdc: {principal: "User:cdc", topics: [__debezium-heartbeat.shop]}\n',
)
BAD = (
    Bad(
        """\
version: 1
acls:
  - {principal: "User:admin", topic: __consumer_offsets, operations: [Read, Write]}
""",
        line=3,
        column=38,
    ),
    Bad(
        """\
version: 1
acls:
  - {principal: "User:admin", topic: _, pattern: prefixed, operations: [All]}
""",
        line=3,
        column=38,
    ),
    Bad(
        OWNED_TOPICS + 'producers:\n  repair: {principal: "User:repair", topics: [__consumer_offsets]}\n',
        line=4,
        column=47,
    ),
)

RULE = rule(DOCS, Severity.ERROR, check, GOOD, BAD, requirements=("R35",), judges_parts=True)
