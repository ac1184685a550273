"""Reads committed offsets with librdkafka consumers, for logins that kafka-python does not support (Kerberos).

A consumer without a subscription joins no group. Each group needs its own consumer, so many groups take long.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from confluent_kafka import Consumer, KafkaException, TopicPartition

from ..connecting.answers import failure_of
from ..connecting.errors import refused_setting
from ..connecting.tokens import librdkafka_login
from ..live.groups import Committed, Partition
from ..outcomes import Failure, FailureKind, Outcome

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from kafka_topology.cluster.connecting.settings import ClientSettings
    from kafka_topology.cluster.connecting.silence import Silence


def by_consumers(
    settings: ClientSettings, groups: Mapping[str, Collection[Partition] | None], servers: str, silence: Silence
) -> dict[str, Outcome[Mapping[Partition, Committed]]]:
    """`servers` are addresses that belong to the right cluster."""
    return {name: _of_group(settings, name, partitions, servers, silence) for name, partitions in groups.items()}


def _of_group(
    settings: ClientSettings, name: str, partitions: Collection[Partition] | None, servers: str, silence: Silence
) -> Outcome[Mapping[Partition, Committed]]:
    options = {**settings.client, **librdkafka_login(settings), "group.id": name, "log_level": 0}
    options["bootstrap.servers"] = servers
    try:
        consumer = Consumer({**options, "enable.auto.commit": False})
    except (KafkaException, ValueError) as error:
        return Failure(FailureKind.UNREACHABLE, str(refused_setting(settings, error)))
    what = f"reading the offsets of group '{name}'"
    try:
        with silence.asking() as seconds:
            wanted = _all(consumer, seconds) if partitions is None else [TopicPartition(*p) for p in sorted(partitions)]
            answers = consumer.committed(wanted, timeout=seconds)
    except KafkaException as error:
        return failure_of(settings, what, error.args[0])
    finally:
        consumer.close()
    found: dict[Partition, Committed] = {}
    for answer in answers:
        failure = None if answer.error is None else failure_of(settings, what, answer.error)
        if failure is not None and failure.kind is not FailureKind.MISSING:
            return failure
        if failure is None and answer.offset >= 0:
            found[answer.topic, answer.partition] = Committed(answer.offset, answer.metadata or "")
    return found


def _all(consumer: Consumer, seconds: float) -> list[TopicPartition]:
    topics = consumer.list_topics(timeout=seconds).topics
    return [TopicPartition(name, number) for name, topic in topics.items() for number in topic.partitions]
