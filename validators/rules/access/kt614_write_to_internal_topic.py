from __future__ import annotations

from collections.abc import Iterator

from kafka_topology.topology.model.findings import Severity
from kafka_topology.validators.engine.examples import OWNED_TOPICS
from kafka_topology.validators.engine.rule import Bad, Context, Problem, rule
from kafka_topology.validators.facts.access import resource_place

DOCS = """\
# KT614: write-to-internal-topic

A principal may write to or change one of Kafka's own topics.

In `__consumer_offsets` and `__transaction_state`, Kafka stores who has read what and which transactions are committed.
A single foreign record in them moves groups or crashes a broker.

Fix: Remove the access. To change offsets, commit them or reset the group.
"""

_INTERNAL = ("__consumer_offsets", "__transaction_state", "__share_group_state", "__cluster_metadata")
_CHANGES = frozenset({"All", "Write", "Create", "Delete", "Alter", "AlterConfigs"})


def check(context: Context) -> Iterator[Problem]:
    for writer in context.index.clients.writers:
        for name in writer.topics:
            if name.startswith("__"):
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
        if acl.name.startswith("__"):
            reached = acl.name
        elif acl.pattern == "prefixed" and any(name.startswith(acl.name) for name in _INTERNAL):
            reached = _INTERNAL[0]
        else:
            continue
        yield Problem(
            f"{acl.name}: {acl.principal} gets {', '.join(operations)} on {reached}, which belongs to Kafka; expected"
            " at most Read and Describe",
            resource_place(acl),
            acl.principal,
            "grant only Describe or Read, or use another name",
        )


GOOD = (
    """\
version: 1
acls:
  - {principal: "User:monitor", topic: __consumer_offsets, operations: [Describe]}
""",
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
