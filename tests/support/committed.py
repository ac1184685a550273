"""Committed offsets as a witness sees them: never by librdkafka's admin client, which may die of the question."""

from __future__ import annotations

from confluent_kafka import Consumer, TopicPartition


def committed(kafka, group, topic, partitions):
    """The offset of each partition, None where there is none."""
    consumer = Consumer({"bootstrap.servers": kafka.bootstrap_servers, "group.id": group, "enable.auto.commit": False})
    try:
        found = consumer.committed([TopicPartition(topic, number) for number in range(partitions)], timeout=20)
    finally:
        consumer.close()
    return [part.offset if part.offset >= 0 else None for part in found]
