from __future__ import annotations

from collections.abc import Iterator

from ...topology.findings import Severity
from ..access import resource_place
from ..rule import Bad, Context, Problem, Rule

_INTERNAL = ("__consumer_offsets", "__transaction_state", "__share_group_state", "__cluster_metadata")
_CHANGES = frozenset({"All", "Write", "Create", "Delete", "Alter", "AlterConfigs"})


def check(context: Context) -> Iterator[Problem]:
    for writer in context.index.clients.writers:
        for name in writer.topics:
            if name.startswith("__"):
                yield Problem(
                    f"{writer.name}: writes {name}, which belongs to Kafka; expected a topic of its own",
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
            f"{acl.name}: {acl.principal} gets {', '.join(operations)} on {reached}, which belongs to Kafka;"
            " expected no more than Read and Describe",
            resource_place(acl),
            acl.principal,
            "grant Describe or Read only, or another name",
        )


RULE = Rule(
    id="KT614",
    name="write-to-internal-topic",
    severity=Severity.ERROR,
    summary="Someone may write to, or change, one of Kafka's own topics.",
    why="""\
`__consumer_offsets` and `__transaction_state` are Kafka's memory of who has read what and which transactions are
committed. One record of anyone else in them moves groups, or takes a broker down.""",
    fix="Remove the access. Offsets are changed by committing, or by resetting a group.",
    requirements=("R35",),
    check=check,
    good=(
        """\
version: 1
acls:
  - {principal: "User:monitor", topic: __consumer_offsets, operations: [Describe]}
""",
    ),
    bad=(
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
            """\
version: 1
ownership: {topics: [shop.]}
producers:
  repair: {principal: "User:repair", topics: [__consumer_offsets]}
""",
            line=4,
            column=47,
        ),
    ),
)
