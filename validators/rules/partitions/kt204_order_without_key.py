from __future__ import annotations

from collections.abc import Iterator

from ...topology.findings import Severity
from ..partitioners import is_keyed
from ..rule import Bad, Context, Problem, Rule


def check(context: Context) -> Iterator[Problem]:
    for topic in context.topology.topics.values():
        if topic.ordering != "per-key" or is_keyed(topic):
            continue
        if topic.key is None:
            found, place = "no key is declared", topic.place("ordering")
        else:
            found, place = "key.type is none", topic.place("key", "type")
        yield Problem(
            f"{topic.name}: ordering is per-key and {found}; expected a key",
            place,
            topic.name,
            "declare the key whose records must stay in order, such as `key: {type: uuid, field: order_id}`",
        )


RULE = Rule(
    id="KT204",
    name="order-without-key",
    severity=Severity.ERROR,
    summary="Order per key on a topic that has no key.",
    why="""\
Records stay in order when they are in the same partition, and it is the key that puts them there. Without one they are
spread over all partitions, and two records of one order or one truck may be read in either order.""",
    fix="Declare `key` with its type and, if it is one, the field of the value that it equals.",
    requirements=("R8", "R11"),
    check=check,
    good=(
        """\
version: 1
topics:
  orders: {partitions: 6, replication: 3, ordering: per-key, key: {type: uuid, field: order_id}}
""",
    ),
    bad=(
        Bad("version: 1\ntopics:\n  orders: {partitions: 6, replication: 3, ordering: per-key}\n", line=3, column=53),
        Bad(
            """\
version: 1
topics:
  orders:
    partitions: 6
    replication: 3
    ordering: per-key
    key: {type: none}
""",
            line=7,
            column=17,
        ),
        Bad(
            """\
version: 1
profiles:
  event: {replication: 3, ordering: per-key}
topics:
  orders: {profile: event, partitions: 6}
""",
            line=3,
            column=37,
        ),
    ),
)
