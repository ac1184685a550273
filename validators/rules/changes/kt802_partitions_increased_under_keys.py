from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from math import lcm

from ...topology.findings import Severity
from ...topology.model import Topic
from ..helpers import count_place
from ..partitioners import family, looks_at_key
from ..rule import Bad, Context, Problem, Rule


def check(context: Context) -> Iterator[Problem]:
    for old, new in context.changes.topics:
        if new.partitions <= old.partitions or (_keeps_its_keys(old) and _keeps_its_keys(new)):
            continue
        if _is_told(old, new):
            continue
        era = f"{{partitions: {old.partitions}, until: <the moment of the change>}}"
        total = new.ordering == "total"
        yield Problem(
            f"{new.name}: partitions go from {old.partitions} to {new.partitions}, so {_effect(old, new)};"
            f" expected {old.partitions}{'' if total else ', or `key.history` with it'}",
            count_place(context.topology, new, "partitions"),
            new.name,
            f"keep {old.partitions}"
            + ("" if total else f"; or, if readers can bear it, add `{era}` to the key's `history`"),
        )


def _is_told(old: Topic, new: Topic) -> bool:
    """The history keeps the old count, so the change is meant. Nothing brings back a total order."""
    if new.ordering == "total" or new.key is None:
        return False
    return any(era.partitions == old.partitions for era in new.key.history)


def _keeps_its_keys(topic: Topic) -> bool:
    """Nothing that depends on the key's partition: no order, and no key, or one that does not choose the partition."""
    if topic.ordering != "none":
        return False
    if topic.key is None or topic.key.type == "none":
        return True
    name = topic.key.partitioner.name
    return not looks_at_key(name) or name in ("range", "list")


def _effect(old: Topic, new: Topic) -> str:
    if new.ordering == "total":
        return "its total order ends"
    partitioner = new.key.partitioner.name if new.key is not None else "murmur2"
    if family(partitioner) == "application" or not looks_at_key(partitioner):
        return "keys may move to other partitions, and order per key may break"
    share = share_of_moved_keys(old.partitions, new.partitions)
    return f"{share} of the keys ({float(share):.0%}) move to another partition, away from their earlier records"


def share_of_moved_keys(before: int, after: int) -> Fraction:
    """A hash keeps its partition only where both remainders are equal: `min` values out of each lcm of the two counts.

    For a multiple that is 1 - before/after.
    """
    return 1 - Fraction(min(before, after), lcm(before, after))


RULE = Rule(
    id="KT802",
    name="partitions-increased-under-keys",
    severity=Severity.ERROR,
    summary="A topic whose keys or order matter would get more partitions.",
    why="""\
A key's partition is its hash modulo the number of partitions. With another number, most keys go elsewhere: from n to
a multiple m, the share 1 - n/m of them. Old records stay where they are. A key then has records in two partitions, in
no order to each other; compaction keeps an old value in the one for ever; joins by partition miss; local state of
readers is on the wrong member.""",
    fix="""\
Choose enough partitions from the start. If it must be: drain the readers, or let them bear it, and write the old count
with the moment of the change into `key.history`, so that live checks judge old records by their own count.""",
    requirements=("R6", "R8"),
    about_changes=True,
    before="""\
version: 1
topics:
  orders: {partitions: 6, replication: 3, ordering: per-key, key: {type: uuid}}
  clicks: {partitions: 6, replication: 3}
""",
    check=check,
    good=(
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
    ),
    bad=(
        Bad(
            """\
version: 1
topics:
  orders: {partitions: 12, replication: 3, ordering: per-key, key: {type: uuid}}
  clicks: {partitions: 6, replication: 3}
""",
            line=3,
            column=24,
        ),
        Bad(
            """\
version: 1
topics:
  orders: {partitions: 9, replication: 3, key: {type: uuid}}
""",
            line=3,
            column=24,
            before="""\
version: 1
topics:
  orders: {partitions: 6, replication: 3, key: {type: uuid}}
""",
        ),
        Bad(
            """\
version: 1
topics:
  orders: {partitions: 3, replication: 3, ordering: total}
""",
            line=3,
            column=24,
            before="""\
version: 1
topics:
  orders: {partitions: 1, replication: 3, ordering: total}
""",
        ),
    ),
)
