from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from math import lcm

from kafka_topology.topology.kafka.partitioners import family
from kafka_topology.topology.model.declared import Topic
from kafka_topology.topology.model.findings import Severity
from kafka_topology.validators.engine.examples import ORDERED, changed
from kafka_topology.validators.engine.helpers import count_place
from kafka_topology.validators.engine.rule import Bad, Context, Problem, rule
from kafka_topology.validators.facts.partitioners import looks_at_key

DOCS = """\
# KT802: partitions-increased-under-keys

A topic whose keys or order matter would get more partitions.

A key's partition is its hash modulo the number of partitions. With another number, most keys move: from n to a
multiple m, the share 1 - n/m of them. Old records stay where they are. A key then has records in two partitions,
without any order between them. Compaction keeps an old value in one of them forever, joins by partition miss records,
and local state of readers is on the wrong member.

Fix: Choose enough partitions from the start. If you must add some, drain the readers or make sure that they can handle
it, and add the old count with the time of the change to `key.history`, so that live checks judge old records by their
own count.
"""


def check(context: Context) -> Iterator[Problem]:
    for old, new in context.changes.topics:
        if new.partitions <= old.partitions or (_keeps_its_keys(old) and _keeps_its_keys(new)):
            continue
        if _is_intended(old, new):
            continue
        era = f"{{partitions: {old.partitions}, until: <the moment of the change>}}"
        total = new.ordering == "total"
        yield Problem(
            f"{new.name}: partitions goes from {old.partitions} to {new.partitions}, so {_effect(old, new)}; expected"
            f" {old.partitions}{'' if total else ', or `key.history` with it'}",
            count_place(context.topology, new, "partitions"),
            new.name,
            f"keep {old.partitions}"
            + ("" if total else f"; or, if readers can handle it, add `{era}` to the key's `history`"),
        )


def _is_intended(old: Topic, new: Topic) -> bool:
    """The history names the old count, so the change is intended. Nothing restores a total order."""
    if new.ordering == "total" or new.key is None:
        return False
    return any(era.partitions == old.partitions for era in new.key.history)


def _keeps_its_keys(topic: Topic) -> bool:
    """Whether nothing depends on a key's partition: no order, and no key that chooses the partition."""
    if topic.ordering != "none":
        return False
    if topic.key is None or topic.key.type == "none":
        return True
    name = topic.key.partitioner.name
    return not looks_at_key(name) or name in ("range", "list")


def _effect(old: Topic, new: Topic) -> str:
    if new.ordering == "total":
        return "it loses its total order"
    partitioner = new.key.partitioner.name if new.key is not None else "murmur2"
    if family(partitioner) == "application" or not looks_at_key(partitioner):
        return "keys may move to other partitions, which breaks their order"
    share = share_of_moved_keys(old.partitions, new.partitions)
    return f"{share} of the keys ({float(share):.0%}) move to another partition, away from their earlier records"


def share_of_moved_keys(before: int, after: int) -> Fraction:
    """A hash keeps its partition only if both remainders are equal: `min` values out of each lcm of the two counts.
    For a multiple that is 1 - before/after.
    """
    return 1 - Fraction(min(before, after), lcm(before, after))


BEFORE = ORDERED + "  clicks: {partitions: 6, replication: 3}\n"
EXAMPLE = "version: 1\ntopics:\n  orders: {partitions: 9, replication: 3, key: {type: uuid}}\n"

GOOD = (
    """\
version: 1
topics:
  orders:
    partitions: 12
    replication: 3
    ordering: per-key
    key:
      type: uuid
      history: [{partitions: 6, until: 2026-03-01T00:00:00Z}]
  clicks: {partitions: 12, replication: 3}
""",
)
BAD = (
    Bad(changed(BEFORE, {"orders: {partitions: 6": "orders: {partitions: 12"}), line=3, column=24),
    Bad(EXAMPLE, line=3, column=24, before=changed(EXAMPLE, {"partitions: 9": "partitions: 6"})),
    Bad(
        "version: 1\ntopics:\n  orders: {partitions: 3, replication: 3, ordering: total}\n",
        line=3,
        column=24,
        before="version: 1\ntopics:\n  orders: {partitions: 1, replication: 3, ordering: total}\n",
    ),
)

RULE = rule(
    DOCS, Severity.ERROR, check, GOOD, BAD, before=BEFORE, changed=("topic.partitions",), requirements=("R6", "R8")
)
