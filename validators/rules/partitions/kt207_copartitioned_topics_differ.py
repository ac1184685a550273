from __future__ import annotations

from collections.abc import Iterator

from kafka_topology.topology.kafka.partitioners import family
from kafka_topology.topology.model.declared import Topic
from kafka_topology.topology.model.findings import Related, Severity
from kafka_topology.validators.engine.examples import changed, orders_with
from kafka_topology.validators.engine.helpers import count_place
from kafka_topology.validators.engine.rule import Bad, Context, Problem, rule
from kafka_topology.validators.facts.partitioners import in_force, is_keyed, looks_at_key

DOCS = """\
# KT207: copartitioned-topics-differ

Topics that are joined by key differ in partitions, partitioner or key type.

A join reads partition 3 of one topic together with partition 3 of the other. Equal keys meet there only if both
topics have the same number of partitions, use the same partitioner, and write keys as the same bytes. Otherwise the
join silently loses matches.

Fix: Give both topics the same number of partitions, the same partitioner and the same key type.
"""

# Key types whose bytes differ for the same key.
_BYTES = {"int": "4 bytes", "long": "8 bytes", "string": "text", "uuid": "text"}


def check(context: Context) -> Iterator[Problem]:
    topics = context.topology.topics
    for topic in topics.values():
        for other_name in topic.copartitioned_with:
            other = topics.get(other_name)
            if other is None or other is topic or (topic.name in other.copartitioned_with and other_name < topic.name):
                continue  # two topics that name each other are reported once
            yield from _pair(context, topic, other)


def _pair(context: Context, topic: Topic, other: Topic) -> Iterator[Problem]:
    if topic.partitions != other.partitions:
        place = count_place(context.topology, other, "partitions").location
        yield Problem(
            f"{topic.name}: it has {topic.partitions} partitions, but {other.name}, which is co-partitioned"
            f" with it, has {other.partitions}; expected the same number",
            count_place(context.topology, topic, "partitions"),
            topic.name,
            f"give both topics the same number of partitions; {max(topic.partitions, other.partitions)}"
            " shrinks neither",
            (Related(place, f"{other.name} has {other.partitions}"),),
        )
    if not is_keyed(topic) or not is_keyed(other) or topic.partitions == 1:
        return
    used, others = in_force(context.index, topic), in_force(context.index, other)
    if _differ(topic, used, other, others):
        yield Problem(
            f"{topic.name}: its keys are placed by {used}, but those of {other.name}, which is co-partitioned"
            f" with it, by {others}; expected one partitioner that uses the key",
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
        return False  # the same hash, or nothing to compare
    return topic.key.partitioner != other.key.partitioner


def _key_types(topic: Topic, other: Topic) -> Iterator[Problem]:
    if topic.key is None or other.key is None:
        return
    one, two = _BYTES.get(topic.key.type), _BYTES.get(other.key.type)
    if one is not None and two is not None and one != two:
        yield Problem(
            f"{topic.name}: key.type is {topic.key.type} ({one}), but that of {other.name}, which is"
            f" co-partitioned with it, is {other.key.type} ({two}), so equal keys hash differently; expected"
            " the same type",
            topic.place("key", "type"),
            topic.name,
            "write the keys of both topics with the same serializer",
            (Related(other.place("key", "type").location, f"{other.name} has {other.key.type}"),),
        )


EXAMPLE = (
    orders_with("key: {type: uuid}, copartitionedWith: [payments]")
    + """\
  payments: {partitions: 6, replication: 3, key: {type: uuid}, copartitionedWith: [orders]}
"""
)

GOOD = (EXAMPLE,)
BAD = (
    Bad(changed(EXAMPLE, {"payments: {partitions: 6": "payments: {partitions: 12"}), line=3, column=24),
    Bad(
        orders_with("key: {type: uuid, partitioner: sarama-hash}, copartitionedWith: [payments]")
        + "  payments: {partitions: 6, replication: 3, key: {type: uuid, partitioner: murmur2}}\n",
        line=3,
        column=74,
    ),
    Bad(
        orders_with("key: {type: int}, copartitionedWith: [payments]")
        + "  payments: {partitions: 6, replication: 3, key: {type: long}}\n",
        line=3,
        column=55,
    ),
)

RULE = rule(DOCS, Severity.ERROR, check, GOOD, BAD, requirements=("R8", "R10"))
