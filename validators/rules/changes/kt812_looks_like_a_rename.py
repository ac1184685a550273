from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator
from difflib import SequenceMatcher
from typing import TypeVar

from kafka_topology.topology.model.declared import ConsumerGroup, Topic
from kafka_topology.topology.model.findings import Related, Severity
from kafka_topology.validators.engine.examples import changed
from kafka_topology.validators.engine.rule import Bad, Context, Problem, rule
from kafka_topology.validators.facts.changes import removed
from kafka_topology.validators.facts.indexes import Index

DOCS = """\
# KT812: looks-like-a-rename

A topic or group was removed, and a similar one was added under another name.

Kafka cannot rename. What looks like a new name in the file is a deletion and an empty new topic: the records are gone,
and every group starts over. A renamed group starts without offsets.

Fix: Keep the name. Or do it in steps: add the new topic, write to both, move the readers, remove the old one.
"""

Thing = TypeVar("Thing", Topic, ConsumerGroup)

_ALIKE = 0.6
_MOST_CANDIDATES = 50  # per removed name, to keep large changes fast


def check(context: Context) -> Iterator[Problem]:
    changes = context.changes
    topics = _pairs(
        [(topic, topic.name, _shape(topic)) for topic in changes.removed_topics],
        [(topic, topic.name, _shape(topic)) for topic in changes.added_topics],
        lambda old, new: _users(changes.old_index, old.name) == _users(changes.new_index, new.name) != frozenset(),
    )
    for old, new in topics:
        yield Problem(
            f"{new.name}: it looks like {old.name} under another name, but Kafka cannot rename: {old.name} would be"
            f" deleted and {new.name} would start empty; expected {old.name}",
            new.place(),
            new.name,
            f"keep the name; or add {new.name}, move readers and writers to it, and remove {old.name} later",
            related=(Related(old.location, f"{old.name} was here"),),
        )
    before, after = changes.before.consumer_groups, changes.after.consumer_groups
    groups = _pairs(
        [(group, group.name, _reads(group)) for group in removed(before, after)],
        [(group, group.name, _reads(group)) for group in removed(after, before)],
        lambda old, new: old.principal is not None and old.principal == new.principal,
    )
    for old_group, new_group in groups:
        yield Problem(
            f"{new_group.name}: it looks like the group {old_group.name} under another name, but would start without"
            f" its offsets; expected {old_group.name}",
            new_group.place(),
            new_group.name,
            f"keep the name, or copy the offsets of {old_group.name} to {new_group.name} before it starts",
            related=(Related(old_group.location, f"{old_group.name} was here"),),
        )


def _pairs(
    old: Iterable[tuple[Thing, str, Hashable]],
    new: Iterable[tuple[Thing, str, Hashable]],
    same_users: Callable[[Thing, Thing], bool],
) -> Iterator[tuple[Thing, Thing]]:
    """Each removed resource with the added one of the same shape that is most similar, if any is similar enough."""
    by_shape: dict[Hashable, list[tuple[Thing, str]]] = {}
    for thing, name, shape in new:
        by_shape.setdefault(shape, []).append((thing, name))
    for thing, name, shape in old:
        candidates = [
            (1.0 if same_users(thing, other) else _likeness(name, other_name), other)
            for other, other_name in by_shape.get(shape, [])[:_MOST_CANDIDATES]
        ]
        best = max(candidates, key=lambda candidate: candidate[0], default=None)
        if best is not None and best[0] >= _ALIKE:
            yield thing, best[1]


def _likeness(one: str, other: str) -> float:
    """How similar two names are, without the prefix that a team gives to everything."""
    parts, others = one.split("."), other.split(".")
    while len(parts) > 1 and len(others) > 1 and parts[0] == others[0]:
        parts, others = parts[1:], others[1:]
    return SequenceMatcher(None, ".".join(parts), ".".join(others)).ratio()


def _shape(topic: Topic) -> Hashable:
    key, value = topic.key, topic.value
    return (
        topic.partitions,
        topic.owner,
        topic.ordering,
        (key.type, key.pattern_name, key.field) if key is not None else None,
        (value.format, value.schema) if value is not None else None,
    )


def _reads(group: ConsumerGroup) -> Hashable:
    return (frozenset(group.topics), frozenset(group.assign.items()))


def _users(index: Index, topic: str) -> frozenset[str]:
    clients = index.clients
    return frozenset(
        [*(f"w {w.name}" for w in clients.writers_of(topic)), *(f"r {r.name}" for r in clients.readers_of(topic))]
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
