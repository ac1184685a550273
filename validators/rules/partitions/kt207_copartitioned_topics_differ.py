from __future__ import annotations

from collections.abc import Iterator

from ...topology.findings import Related, Severity
from ...topology.model import Topic
from ..helpers import count_place
from ..partitioners import family, in_force, is_keyed, looks_at_key
from ..rule import Bad, Context, Problem, Rule

# Key types whose bytes differ for the same key.
_BYTES = {"int": "4 bytes", "long": "8 bytes", "string": "text", "uuid": "text"}


def check(context: Context) -> Iterator[Problem]:
    topics = context.topology.topics
    for topic in topics.values():
        for other_name in topic.copartitioned_with:
            other = topics.get(other_name)
            if other is None or other is topic or (topic.name in other.copartitioned_with and other_name < topic.name):
                continue  # a pair that names each other is judged once
            yield from _pair(context, topic, other)


def _pair(context: Context, topic: Topic, other: Topic) -> Iterator[Problem]:
    if topic.partitions != other.partitions:
        place = count_place(context.topology, other, "partitions").location
        yield Problem(
            f"{topic.name}: {topic.partitions} partitions, and {other.name}, co-partitioned with it, has"
            f" {other.partitions}; expected the same number",
            count_place(context.topology, topic, "partitions"),
            topic.name,
            f"give both the same number of partitions; {max(topic.partitions, other.partitions)} shrinks none",
            (Related(place, f"{other.name} has {other.partitions}"),),
        )
    if not is_keyed(topic) or not is_keyed(other) or topic.partitions == 1:
        return
    used, others = in_force(context.index, topic), in_force(context.index, other)
    if _differ(topic, used, other, others):
        yield Problem(
            f"{topic.name}: its keys are placed by {used}, and those of {other.name}, co-partitioned with it, by"
            f" {others}; expected one partitioner that looks at the key",
            topic.place("key", "partitioner"),
            topic.name,
            "write both topics with the same partitioner",
            (Related(other.place("key", "partitioner").location, f"{other.name} uses {others}"),),
        )
    yield from _key_types(topic, other)


def _differ(topic: Topic, used: str, other: Topic, others: str) -> bool:
    if family(used) != family(others) or not looks_at_key(used):
        return True
    if topic.key is None or other.key is None or used != others or used not in ("range", "list"):
        return False  # the same hash, or nothing that could be compared
    return topic.key.partitioner != other.key.partitioner


def _key_types(topic: Topic, other: Topic) -> Iterator[Problem]:
    if topic.key is None or other.key is None:
        return
    one, two = _BYTES.get(topic.key.type), _BYTES.get(other.key.type)
    if one is not None and two is not None and one != two:
        yield Problem(
            f"{topic.name}: key.type is {topic.key.type} ({one}), and that of {other.name}, co-partitioned with it,"
            f" is {other.key.type} ({two}), so equal keys hash differently; expected the same type",
            topic.place("key", "type"),
            topic.name,
            "write the keys of both topics with the same serializer",
            (Related(other.place("key", "type").location, f"{other.name} has {other.key.type}"),),
        )


RULE = Rule(
    id="KT207",
    name="copartitioned-topics-differ",
    severity=Severity.ERROR,
    summary="Topics that are joined by key differ in partitions, partitioner or key type.",
    why="""\
A join reads partition 3 of one topic together with partition 3 of the other. Equal keys meet there only when both
topics have the same number of partitions, place keys by the same function, and write keys as the same bytes. Otherwise
the join loses matches in silence.""",
    fix="Give both topics the same number of partitions, the same partitioner and the same key type.",
    requirements=("R8", "R10"),
    check=check,
    good=(
        """\
version: 1
topics:
  orders: {partitions: 6, replication: 3, key: {type: uuid}, copartitionedWith: [payments]}
  payments: {partitions: 6, replication: 3, key: {type: uuid}, copartitionedWith: [orders]}
""",
    ),
    bad=(
        Bad(
            """\
version: 1
topics:
  orders: {partitions: 6, replication: 3, key: {type: uuid}, copartitionedWith: [payments]}
  payments: {partitions: 12, replication: 3, key: {type: uuid}, copartitionedWith: [orders]}
""",
            line=3,
            column=24,
        ),
        Bad(
            """\
version: 1
topics:
  orders: {partitions: 6, replication: 3, key: {type: uuid, partitioner: sarama-hash}, copartitionedWith: [payments]}
  payments: {partitions: 6, replication: 3, key: {type: uuid, partitioner: murmur2}}
""",
            line=3,
            column=74,
        ),
        Bad(
            """\
version: 1
topics:
  orders: {partitions: 6, replication: 3, key: {type: int}, copartitionedWith: [payments]}
  payments: {partitions: 6, replication: 3, key: {type: long}}
""",
            line=3,
            column=55,
        ),
    ),
)
