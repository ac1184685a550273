from __future__ import annotations

from collections.abc import Iterator

from kafka_topology.topology.model.findings import Related, Severity
from kafka_topology.validators.engine.examples import changed
from kafka_topology.validators.engine.rule import Bad, Context, Problem, rule
from kafka_topology.validators.facts.renames import renamed_groups, renamed_topics

DOCS = """\
# KT812: looks-like-a-rename

A topic or group was removed, and a similar one was added under another name.

Kafka cannot rename. What looks like a new name in the file is a deletion and an empty new topic: the records are gone,
and every group starts over. A renamed group starts without offsets.

Fix: Keep the name. Or do it in steps: add the new topic, write to both, move the readers, remove the old one.
"""


def check(context: Context) -> Iterator[Problem]:
    for old, new in renamed_topics(context.changes):
        yield Problem(
            f"{new.name}: it looks like {old.name} under another name, but Kafka cannot rename: {old.name} would be"
            f" deleted and {new.name} would start empty; expected {old.name}",
            new.place(),
            new.name,
            f"keep the name; or add {new.name}, move readers and writers to it, and remove {old.name} later",
            related=(Related(old.location, f"{old.name} was here"),),
        )
    for old_group, new_group in renamed_groups(context.changes):
        yield Problem(
            f"{new_group.name}: it looks like the group {old_group.name} under another name, but would start without"
            f" its offsets; expected {old_group.name}",
            new_group.place(),
            new_group.name,
            f"keep the name, or copy the offsets of {old_group.name} to {new_group.name} before it starts",
            related=(Related(old_group.location, f"{old_group.name} was here"),),
        )


BEFORE = """\
version: 1
topics:
  shop.orders: {partitions: 6, replication: 3, key: {type: uuid}, deletion: allowed}
consumerGroups:
  billing: {principal: "User:billing", topics: [shop.orders]}
"""

GOOD = (
    changed(
        BEFORE,
        {"consumerGroups:": "  shop.payments: {partitions: 6, replication: 3, key: {type: uuid}}\nconsumerGroups:"},
    ),
)
BAD = (
    Bad(
        """\
version: 1
topics:
  shop.order-events:
    partitions: 6
    replication: 3
    key: {type: uuid}
consumerGroups:
  billing: {principal: "User:billing", topics: [shop.order-events]}
""",
        line=3,
        column=3,
    ),
    Bad(
        """\
version: 1
topics:
  shop.orders: {partitions: 6, replication: 3, key: {type: uuid}, deletion: allowed}
consumerGroups:
  invoices:
    principal: User:billing
    topics: [shop.orders]
""",
        line=5,
        column=3,
    ),
)

RULE = rule(
    DOCS, Severity.ERROR, check, GOOD, BAD, before=BEFORE, changed=("topic", "group"), requirements=("R7", "R21")
)
