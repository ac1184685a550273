"""Topics written by librdkafka with each of its partitioners, by kafka-python and by Java's console producer: clean
when declared so, and explained when declared otherwise. `make clients` does so with the clients of other languages."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from delivering import SureProducer
from kafka import KafkaProducer
from planted import result

from kafka_topology.local import kafka_tool
from kafka_topology.spark_checks import check
from kafka_topology.topology.model.declared import Key, Partitioner, Topology

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

PARTITIONS, KEYS, NULLS, EMPTIES = 7, 3_000, 60, 50
CRC32, MURMUR2, FNV1A = "crc32 (librdkafka's default", "murmur2 (Java's default", "fnv1a (librdkafka fnv1a"
# Each partitioner: what it is declared as, how many records it ties to no partition, another one, and the cause named.
WRITERS = {
    "consistent": ("librdkafka-consistent", 0, "murmur2", CRC32),
    "consistent_random": ("librdkafka-consistent-random", NULLS + EMPTIES, "librdkafka-fnv1a", CRC32),
    "murmur2": ("librdkafka-murmur2", 0, "librdkafka-consistent-random", MURMUR2),
    "murmur2_random": ("librdkafka-murmur2-random", NULLS, "sarama-reference-hash", MURMUR2),
    "fnv1a": ("librdkafka-fnv1a", 0, "murmur2", FNV1A),
    "fnv1a_random": ("librdkafka-fnv1a-random", NULLS, "librdkafka-consistent", FNV1A),
    "kafka-python": ("murmur2", NULLS, "librdkafka-fnv1a", MURMUR2),
    "java": ("murmur2", NULLS, "librdkafka-consistent-random", MURMUR2),
}


def some_keys() -> list[bytes | None]:
    chance = random.Random(17)  # noqa: S311 - repeatable
    keys: list[bytes | None] = [chance.randbytes(chance.randint(1, 40)) for _ in range(KEYS)]
    keys += [None] * NULLS + [b""] * EMPTIES
    chance.shuffle(keys)
    return keys


def write_by_librdkafka(bootstrap: str, topic: str, partitioner: str) -> None:
    producer = SureProducer({"bootstrap.servers": bootstrap, "partitioner": partitioner, "log_level": 0})
    for key in some_keys():
        producer.produce(topic, b"value", key)
    producer.flush(60)


def write_by_kafka_python(bootstrap: str, topic: str) -> None:
    producer = KafkaProducer(bootstrap_servers=bootstrap, acks="all")
    sent = [producer.send(topic, b"value", key) for key in some_keys()]
    for each in sent:
        each.get(60)
    producer.close()


def write_by_java(bootstrap: str, topic: str) -> None:
    """The console producer reads lines, so its keys are text."""
    lines = [f"{'NULL' if key is None else key.hex()}\tvalue\n" for key in some_keys()]
    properties = ("parse.key=true", "key.separator=\t", "null.marker=NULL")
    arguments = [part for each in properties for part in ("--property", each)]
    done = kafka_tool("kafka-console-producer", "--topic", topic, *arguments, bootstrap=bootstrap, stdin="".join(lines))
    assert done.returncode == 0, done.stderr


def declared(topology: Topology, partitioners: dict[str, str]) -> Topology:
    key = Key("bytes", nulls="allowed")
    topics = {
        name: replace(topic, name=name, key=replace(key, partitioner=Partitioner(partitioners[name])))
        for topic in topology.topics.values()
        for name in partitioners
    }
    return replace(topology, topics=topics)


def test_what_real_producers_write(
    spark: SparkSession, bootstrap: str, declare: Callable[..., Any], create_topic: Callable[..., str]
) -> None:
    topics = {writer: create_topic(PARTITIONS) for writer in WRITERS}
    for writer, topic in topics.items():
        if writer == "java":
            write_by_java(bootstrap, topic)
        elif writer == "kafka-python":
            write_by_kafka_python(bootstrap, topic)
        else:
            write_by_librdkafka(bootstrap, topic, writer)
    any_topic = declare("any", PARTITIONS)

    as_written = declared(any_topic, {topics[writer]: row[0] for writer, row in WRITERS.items()})
    for report, (writer, row) in zip(
        check(spark, as_written, bootstrap_servers=bootstrap).topics, WRITERS.items(), strict=True
    ):
        placement = result(report, "placement")
        assert report.records == KEYS + NULLS + EMPTIES, writer
        assert (placement.status, placement.violations, placement.exempt) == ("exact", 0, row[1]), writer

    otherwise = declared(any_topic, {topics[writer]: row[2] for writer, row in WRITERS.items()})
    for report, (writer, row) in zip(
        check(spark, otherwise, bootstrap_servers=bootstrap).topics, WRITERS.items(), strict=True
    ):
        placement = result(report, "placement")
        # One in seven is right by chance.
        assert 0.8 * KEYS < placement.violations < 0.92 * (KEYS + NULLS + EMPTIES), writer
        assert row[3] in placement.cause, (writer, placement.cause)
