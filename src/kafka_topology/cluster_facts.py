"""What a live cluster knows of a topology's topics and groups. Reads only; what fails is said, never guessed."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from concurrent.futures import Future
from dataclasses import replace
from typing import Any

from confluent_kafka import ConsumerGroupTopicPartitions, IsolationLevel, KafkaException, TopicPartition
from confluent_kafka.admin import AdminClient
from confluent_kafka.admin._listoffsets import OffsetSpec

from kafka_topology.review.live import Live, LiveGroup, LivePartition, LiveTopic


class Unreachable(Exception):
    """No broker answers."""


def live_facts(client: Mapping[str, str], topics: Collection[str], groups: Collection[str], timeout: float) -> Live:
    """Placement, records and lag of these topics and groups, as far as they exist."""
    try:
        admin = AdminClient({**client, "log_level": 0})
        metadata = admin.list_topics(timeout=timeout)
        racks = _racks(admin, timeout)
    except KafkaException as error:
        raise Unreachable(
            f"{client.get('bootstrap.servers', 'the cluster')} cannot be reached: {_why(error)}"
        ) from None
    problems: list[str] = []
    found: dict[str, LiveTopic] = {}
    for name in topics:
        topic = metadata.topics.get(name)
        if topic is None:
            continue
        if topic.error is not None:
            problems.append(f"topic {name}: {topic.error.str()}")
            continue
        placed = [topic.partitions[number] for number in sorted(topic.partitions)]
        found[name] = LiveTopic(
            tuple(LivePartition(p.leader if p.leader >= 0 else None, tuple(p.replicas), tuple(p.isrs)) for p in placed)
        )
    latest, earliest = OffsetSpec.latest(), OffsetSpec.earliest()  # type: ignore[no-untyped-call]
    ends = _offsets(admin, found, latest, timeout, problems)
    starts = _offsets(admin, found, earliest, timeout, problems)
    sizes = _sizes(client, found, timeout)
    counted = {name: _with_contents(name, topic, starts, ends, sizes) for name, topic in found.items()}
    brokers = {broker: racks.get(broker) for broker in metadata.brokers}
    return Live(brokers, counted, dict(_groups(admin, groups, ends, timeout, problems)), tuple(problems))


def _racks(admin: AdminClient, timeout: float) -> dict[int, str | None]:
    described = admin.describe_cluster(request_timeout=timeout).result(timeout)
    return {node.id: node.rack for node in described.nodes}


def _offsets(
    admin: AdminClient, topics: Mapping[str, LiveTopic], spec: OffsetSpec, timeout: float, problems: list[str]
) -> dict[tuple[str, int], int]:
    asked = {
        TopicPartition(name, number): spec for name, topic in topics.items() for number in range(len(topic.partitions))
    }
    found: dict[tuple[str, int], int] = {}
    if not asked:
        return found
    futures: dict[TopicPartition, Future[Any]] = admin.list_offsets(
        asked, isolation_level=IsolationLevel.READ_UNCOMMITTED, request_timeout=timeout
    )
    for partition, future in futures.items():
        try:
            found[partition.topic, partition.partition] = future.result(timeout).offset
        except (KafkaException, TimeoutError) as error:
            problems.append(f"offsets of {partition.topic} {partition.partition}: {_why(error)}")
    return found


def _sizes(client: Mapping[str, str], topics: Mapping[str, LiveTopic], timeout: float) -> dict[tuple[str, int], int]:
    """Bytes on disk. Nothing where the cluster does not tell: a size is then worked out from the records."""
    from kafka_topology.provider.outcomes import Failure
    from kafka_topology.provider.replica_cluster import log_sizes
    from kafka_topology.provider.second_client import SecondClient
    from kafka_topology.provider.settings import client_only

    if not topics:
        return {}
    second = SecondClient(client_only(client, timeout))
    found = log_sizes(second, {name: range(len(topic.partitions)) for name, topic in topics.items()})
    return {} if isinstance(found, Failure) else found


def _with_contents(
    name: str,
    topic: LiveTopic,
    starts: Mapping[tuple[str, int], int],
    ends: Mapping[tuple[str, int], int],
    sizes: Mapping[tuple[str, int], int],
) -> LiveTopic:
    def records(number: int) -> int | None:
        start, end = starts.get((name, number)), ends.get((name, number))
        return end - start if start is not None and end is not None else None

    return LiveTopic(
        tuple(
            replace(part, records=records(number), size=sizes.get((name, number)))
            for number, part in enumerate(topic.partitions)
        )
    )


def _groups(
    admin: AdminClient,
    names: Collection[str],
    ends: Mapping[tuple[str, int], int],
    timeout: float,
    problems: list[str],
) -> Iterator[tuple[str, LiveGroup]]:
    # Asked without partitions, librdkafka has been seen to crash on a new cluster.
    asked = [TopicPartition(topic, number) for topic, number in ends]
    if not names or not asked:
        return
    for name, described in admin.describe_consumer_groups(list(names), request_timeout=timeout).items():
        try:
            group = described.result(timeout)
            offsets = admin.list_consumer_group_offsets(
                [ConsumerGroupTopicPartitions(name, asked)], request_timeout=timeout
            )
            committed = offsets[name].result(timeout).topic_partitions
        except (KafkaException, TimeoutError) as error:
            if not _is_missing(error):
                problems.append(f"group {name}: {_why(error)}")
            continue
        state = group.state.name.lower()
        if state == "dead":
            continue
        lag: dict[str, int] = {}
        for part in committed:
            end = ends.get((part.topic, part.partition))
            if end is not None and part.offset >= 0:
                lag[part.topic] = lag.get(part.topic, 0) + max(0, end - part.offset)
        yield name, LiveGroup(state, len(group.members), lag)


def _is_missing(error: Exception) -> bool:
    return isinstance(error, KafkaException) and "GROUP_ID_NOT_FOUND" in error.args[0].name()


def _why(error: Exception) -> str:
    if isinstance(error, KafkaException):
        return str(error.args[0].str())
    return "no answer in time"
