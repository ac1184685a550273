"""Moves replicas of a real cluster, with kafka-python for requests that librdkafka does not have."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from confluent_kafka import KafkaError
from confluent_kafka.admin import ConfigResource, ResourceType  # type: ignore[attr-defined]

from ..config_entries import entries
from ..live.replicas import RATES, ThrottleChanges, Throttles
from ..live.topics import THROTTLED_REPLICAS
from ..outcomes import Failure, FailureKind, Outcome
from .offsets import described
from .reassignments import Reassignment

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping
    from concurrent.futures import Future

    from ..connecting.answers import Asking
    from ..connecting.connection import Connection
    from ..connecting.second_client import SecondClient
    from ..live.groups import Partition
    from ..live.replicas import Layout, Replicas

_PREFERRED: Final = 0
_ELECTION_NOT_NEEDED: Final = KafkaError.ELECTION_NOT_NEEDED
_WITH_FENCED: Final = 2  # the version of DescribeCluster that lists brokers that are down


def _layout(topic: Any) -> Layout:
    return {p.id: tuple(node.id for node in p.replicas) for p in topic.partitions}


def log_sizes(second: SecondClient, topics: Mapping[str, Collection[int]]) -> Outcome[dict[Partition, int]]:
    """The bytes of each partition's largest replica."""
    asked = {name: list(partitions) for name, partitions in topics.items()}
    answer = second.call("reading the sizes of logs", lambda client: client.describe_log_dirs(asked))
    if isinstance(answer, Failure):
        return answer
    found: dict[Partition, int] = {}
    for broker in answer:
        for folder in broker["log_dirs"]:
            for topic in folder["topics"]:
                for partition in topic["partitions"]:
                    key = (topic["name"], partition["partition_index"])
                    found[key] = max(found.get(key, 0), partition["partition_size"])
    return found


class ReplicaCluster:
    def __init__(self, connection: Connection, second: Callable[[], SecondClient]) -> None:
        self._connection = connection
        self._second = second

    def brokers(self) -> Outcome[dict[int, str | None]]:
        with self._connection.asking() as ask:
            answer = ask.value("describing the cluster", ask.admin.describe_cluster(request_timeout=ask.timeout))
        return answer if isinstance(answer, Failure) else {node.id: node.rack for node in answer.nodes}

    def fenced(self) -> dict[int, str | None]:
        """Brokers that are registered and do not run, with their racks. Brokers before Kafka 4 do not name them."""
        second = self._second()
        from kafka.protocol.admin import DescribeClusterRequest  # noqa: PLC0415

        request = DescribeClusterRequest(include_fenced_brokers=True, min_version=_WITH_FENCED)
        answer = second.send("describing the cluster", request)
        if isinstance(answer, Failure) or answer.error_code:
            return {}
        return {broker.broker_id: broker.rack for broker in answer.brokers if broker.is_fenced}

    def layouts(self, topics: Collection[str]) -> dict[str, Outcome[Layout]]:
        return described(self._connection, topics, _layout)

    def reassignments(self) -> Outcome[dict[Partition, Reassignment]]:
        answer = self._second().call("listing reassignments", lambda client: client.list_partition_reassignments())
        if isinstance(answer, Failure):
            return answer
        return {
            (p.topic, p.partition): Reassignment(frozenset(s["adding_replicas"]), frozenset(s["removing_replicas"]))
            for p, s in answer.items()
        }

    def moving(self) -> Outcome[frozenset[Partition]]:
        answer = self.reassignments()
        return answer if isinstance(answer, Failure) else frozenset(answer)

    def sizes(self, topics: Mapping[str, Collection[int]]) -> Outcome[dict[Partition, int]]:
        return log_sizes(self._second(), topics)

    def reassign(self, replicas: Mapping[Partition, Replicas]) -> Outcome[dict[Partition, Failure]]:
        what, second = "reassigning partitions", self._second()
        from kafka import TopicPartition as Key  # noqa: PLC0415

        wanted = {Key(*partition): list(brokers) for partition, brokers in replicas.items()}
        answer = second.call(what, lambda client: client.alter_partition_reassignments(wanted))
        if isinstance(answer, Failure):
            return answer
        return {
            (p.topic, p.partition): failure
            for p, error in answer.items()
            if error is not None and (failure := second.failed(f"{what} of topic '{p.topic}'", error.errno, None))
        }

    def throttles(self, topics: Collection[str], brokers: Collection[int]) -> Outcome[Throttles]:
        with self._connection.asking() as ask:
            # Each broker needs its own request; send all of them before waiting for the first answer.
            on_brokers = {broker: _asked(ask, ResourceType.BROKER, [str(broker)])[str(broker)] for broker in brokers}
            on_topics = _asked(ask, ResourceType.TOPIC, list(topics))
            read: dict[str | int, Outcome[dict[str, str]]] = {
                **{b: _set(ask, f"reading the config of broker {b}", f, RATES) for b, f in on_brokers.items()},
                **{
                    name: _set(ask, f"reading the config of topic '{name}'", future, THROTTLED_REPLICAS)
                    for name, future in on_topics.items()
                },
            }
        known: dict[str | int, dict[str, str]] = {}
        for key, config in read.items():
            if not isinstance(config, Failure):
                known[key] = config
            elif config.kind is not FailureKind.MISSING:
                return config
        return Throttles(
            {name: known[name] for name in topics if name in known}, {b: known[b] for b in brokers if b in known}
        )

    def set_throttles(self, changes: ThrottleChanges) -> tuple[Failure, ...]:
        failures: list[Failure] = []
        # Each broker must get the request for its own config.
        calls = [
            (ResourceType.TOPIC, dict(changes.topics)),
            *((ResourceType.BROKER, {str(broker): change}) for broker, change in changes.brokers.items()),
        ]
        with self._connection.asking() as ask:
            for kind, wanted in calls:
                resources = [ConfigResource(kind, n, incremental_configs=entries(c)) for n, c in wanted.items()]
                if not resources:
                    continue
                futures = ask.admin.incremental_alter_configs(resources, request_timeout=ask.timeout)
                done = ask.done(f"throttling {kind.name.lower()}", {r.name: future for r, future in futures.items()})
                failures += [failure for failure in done.values() if failure is not None]
        return tuple(f for f in failures if f.kind is not FailureKind.MISSING)

    def elect_preferred(self, partitions: Collection[Partition]) -> tuple[Failure, ...]:
        # Not librdkafka: it has this request, but its Python binding fails on every call.
        by_topic: dict[str, list[int]] = {}
        for name, number in partitions:
            by_topic.setdefault(name, []).append(number)
        what, second = "electing preferred leaders", self._second()
        answer = second.call(what, lambda client: client.elect_leaders(_PREFERRED, by_topic, raise_errors=False))
        if isinstance(answer, Failure):
            return (answer,)
        codes = {p.error_code for result in answer.replica_election_results for p in result.partition_result}
        failures = (second.failed(what, code, None) for code in sorted(codes - {0, _ELECTION_NOT_NEEDED}))
        return tuple(failure for failure in failures if failure is not None)


def _asked(ask: Asking, kind: ResourceType, names: list[str]) -> dict[str, Future[Any]]:
    if not names:
        return {}
    futures = ask.admin.describe_configs([ConfigResource(kind, n) for n in names], request_timeout=ask.timeout)
    return {resource.name: future for resource, future in futures.items()}


def _set(ask: Asking, what: str, future: Future[Any], keys: tuple[str, ...]) -> Outcome[dict[str, str]]:
    """The keys that do not have their default, whichever level sets them."""
    answer = ask.value(what, future)
    if isinstance(answer, Failure):
        return answer
    return {key: e.value for key in keys if (e := answer.get(key)) is not None and e.value and not e.is_default}
