from __future__ import annotations

from collections.abc import Iterator

from kafka_topology.topology.kafka.partitioners import OPAQUE_PARTITIONERS, family
from kafka_topology.topology.model.findings import Related, Severity
from kafka_topology.validators.engine.examples import changed, orders_with
from kafka_topology.validators.engine.rule import Bad, Context, Problem, rule
from kafka_topology.validators.facts.partitioners import (
    declares_partitioner,
    in_force,
    is_keyed,
    looks_at_key,
    name_of,
    said_by,
    used_by,
)

DOCS = """\
# KT206: mixed-partitioners

Producers of one keyed topic place keys differently.

Java clients hash a key with murmur2, librdkafka with crc32, sarama with fnv1a. If two producers of a topic differ,
records of one key end up in two partitions: their order is lost, and joins and lookups by key miss half of them.
Partitioners that differ only in null and empty keys count as the same. Kafka Streams uses murmur2. A setting that
chooses another partitioner than the producer's own `partitioner` is reported, too. An application that sets partitions
itself (`explicit`, `custom`) may place keys alike, as MirrorMaker does with a source that was hashed so: a warning.

Fix: Choose one partitioner, declare it on the topic's `key`, and set it in every client.
"""


def check(context: Context) -> Iterator[Problem]:
    contradictions = tuple(_contradictions(context))
    yield from contradictions
    reported = {problem.resource for problem in contradictions}
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
                continue  # KT214 reports it
            name = name_of(writer)
            if name in reported:
                continue
            others = "the topic declares" if declares_partitioner(topic) else "others use"
            is_own = used in OPAQUE_PARTITIONERS
            yield Problem(
                f"{name}: it places the keys of {topic.name} with {used}, but {others} {expected}, so one key"
                f" {'may end' if is_own else 'ends'} up in two partitions; expected {expected}",
                writer.place(*path),
                name,
                f"set the client's partitioner to {expected}, or use {used} in every writer",
                (Related(topic.place("key", "partitioner").location, f"{topic.name} is declared here"),),
                severity=Severity.WARNING if is_own else None,
            )


def _contradictions(context: Context) -> Iterator[Problem]:
    """Producers whose `partitioner` is not the one that their settings choose."""
    for producer in context.topology.producers.values():
        topic = next((context.topology.topics[n] for n in producer.topics if n in context.topology.topics), None)
        if producer.partitioner is None or topic is None:
            continue
        used, path = used_by(producer, topic)
        if path[:1] == ("config",) and family(used) != family(producer.partitioner):
            yield Problem(
                f"{producer.name}: its partitioner is declared as {producer.partitioner}, but {path[1]} chooses {used};"
                " expected the same",
                producer.place(*path),
                producer.name,
                f"declare `partitioner: {used}`, or remove {path[1]}",
                (Related(producer.place("partitioner").location, "declared here"),),
            )


EXAMPLE = (
    orders_with("key: {type: uuid, partitioner: murmur2}")
    + """\
producers:
  checkout: {topics: [orders]}
  returns: {topics: [orders], partitioner: librdkafka-murmur2-random}
"""
)

GOOD = (
    EXAMPLE,
    orders_with("key: {type: uuid}")
    + """\
producers:
  checkout: {topics: [orders], partitioner: sarama-hash}
  returns: {topics: [orders], partitioner: librdkafka-fnv1a}
""",
    orders_with("key: {type: uuid}")
    + """\
producers:
  checkout: {topics: [orders]}
  returns: {topics: [orders], library: kafka-go, config: {Balancer: kafka.Murmur2Balancer}}
""",
)
BAD = (
    Bad(
        changed(EXAMPLE, {"partitioner: librdkafka-murmur2-random": "partitioner: librdkafka-consistent-random"}),
        line=6,
        column=44,
    ),
    Bad(
        orders_with("key: {type: uuid}")
        + """\
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
        orders_with("key: {type: uuid}")
        + """\
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
    Bad(
        orders_with("key: {type: uuid}")
        + """\
producers:
  returns: {topics: [orders], library: kafka-go, partitioner: murmur2, config: {Balancer: "&kafka.Hash{}"}}
""",
        line=5,
        column=91,
    ),
    Bad(
        orders_with("key: {type: uuid}")
        + """\
producers:
  checkout: {topics: [orders]}
  returns: {topics: [orders], library: kafka-go, config: {Balancer: CRC32Balancer}}
""",
        line=6,
        column=69,
    ),
    Bad(
        changed(EXAMPLE, {"partitioner: librdkafka-murmur2-random": "partitioner: explicit"}),
        line=6,
        column=44,
    ),
)

RULE = rule(DOCS, Severity.ERROR, check, GOOD, BAD, requirements=("R8", "R10"))
