from __future__ import annotations

from collections.abc import Iterator

from ...topology.findings import Related, Severity
from ..partitioners import declares_partitioner, family, in_force, is_keyed, looks_at_key, name_of, said_by, used_by
from ..rule import Bad, Context, Problem, Rule


def check(context: Context) -> Iterator[Problem]:
    for topic in context.topology.topics.values():
        if topic.partitions == 1 or not is_keyed(topic):
            continue
        uses = [(writer, *used_by(writer, topic)) for writer in context.index.writers_of(topic.name)]
        said = family(said_by(topic))
        if all(family(used) == said for _, used, _ in uses):
            continue
        expected = in_force(context.index, topic)
        for writer, used, path in uses:
            if family(used) == family(expected):
                continue
            if topic.ordering == "per-key" and not looks_at_key(used):
                continue  # KT214 speaks of that
            name = name_of(writer)
            others = "the topic says" if declares_partitioner(topic) else "others use"
            yield Problem(
                f"{name}: it places the keys of {topic.name} by {used}, where {others} {expected}, so one key is in"
                f" two partitions; expected {expected}",
                writer.place(*path),
                name,
                f"set the client's partitioner to {expected}, or write with {used} everywhere",
                (Related(topic.place("key", "partitioner").location, f"{topic.name} is here"),),
            )


RULE = Rule(
    id="KT206",
    name="mixed-partitioners",
    severity=Severity.ERROR,
    summary="Producers of one keyed topic place keys differently.",
    why="""\
Java clients hash a key by murmur2, librdkafka by crc32, sarama by fnv1a. When two producers of a topic differ, records
of one key are in two partitions: their order is gone, and joins and lookups by key miss half of them. Partitioners
that differ only in null and empty keys count as the same. Kafka Streams places by murmur2.""",
    fix="Choose one partitioner, declare it on the topic's `key`, and set it in every client.",
    requirements=("R8", "R10"),
    check=check,
    good=(
        """\
version: 1
topics:
  orders: {partitions: 6, replication: 3, key: {type: uuid, partitioner: murmur2}}
producers:
  checkout: {topics: [orders]}
  returns: {topics: [orders], partitioner: librdkafka-murmur2-random}
""",
        """\
version: 1
topics:
  orders: {partitions: 6, replication: 3, key: {type: uuid}}
producers:
  checkout: {topics: [orders], partitioner: sarama-hash}
  returns: {topics: [orders], partitioner: librdkafka-fnv1a}
""",
    ),
    bad=(
        Bad(
            """\
version: 1
topics:
  orders: {partitions: 6, replication: 3, key: {type: uuid, partitioner: murmur2}}
producers:
  checkout: {topics: [orders]}
  returns: {topics: [orders], partitioner: librdkafka-consistent-random}
""",
            line=6,
            column=44,
        ),
        Bad(
            """\
version: 1
topics:
  orders: {partitions: 6, replication: 3, key: {type: uuid}}
producers:
  returns: {topics: [orders], partitioner: sarama-hash}
  checkout: {topics: [orders], partitioner: murmur2}
""",
            line=5,
            column=44,
        ),
        Bad(
            """\
version: 1
topics:
  payments: {partitions: 6, replication: 3}
  orders: {partitions: 6, replication: 3, key: {type: uuid, partitioner: librdkafka-consistent}}
streams:
  enrich:
    reads: [payments]
    writes: [orders]
""",
            line=6,
            column=3,
        ),
        Bad(
            """\
version: 1
topics:
  orders: {partitions: 6, replication: 3, key: {type: uuid}}
producers:
  checkout: {topics: [orders]}
  returns:
    topics: [orders]
    config:
      partitioner.class: org.apache.kafka.clients.producer.RoundRobinPartitioner
""",
            line=9,
            column=26,
        ),
    ),
)
