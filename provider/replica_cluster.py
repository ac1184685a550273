"""Moves replicas of a real cluster. What librdkafka does not have is sent by kafka-python."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from confluent_kafka import KafkaError
from confluent_kafka import TopicCollection as Names
from confluent_kafka.admin import AdminClient, ConfigResource, ResourceType  # type: ignore[attr-defined]

from .config_entries import entries
from .outcomes import Failure, FailureKind, Outcome
from .topic_plan import THROTTLED_REPLICAS, ConfigChange

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from .answers import Answers
    from .group_plan import Partition
    from .replica_plan import Layout, Replicas, Throttled
    from .second_client import SecondClient

_PREFERRED: Final = 0
_ELECTION_NOT_NEEDED: Final = KafkaError.ELECTION_NOT_NEEDED
_RATES: Final = ("leader.replication.throttled.rate", "follower.replication.throttled.rate")


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
    def __init__(self, admin: AdminClient, answers: Answers) -> None:
        self._admin = admin
        self._answers = answers
        self._made: Any = None

    @property
    def _second(self) -> Any:
        """Made when replicas are to be moved, which is rare."""
        if self._made is None:
            from .second_client import SecondClient  # noqa: PLC0415

            self._made = SecondClient(self._answers.settings)
        return self._made

    def brokers(self) -> Outcome[dict[int, str | None]]:
        future = self._admin.describe_cluster(request_timeout=self._answers.timeout)
        answer = self._answers.value("describing the cluster", future)
        return answer if isinstance(answer, Failure) else {node.id: node.rack for node in answer.nodes}

    def layouts(self, topics: Collection[str]) -> dict[str, Outcome[Layout]]:
        found: dict[str, Outcome[Layout]] = {}
        futures = self._admin.describe_topics(Names(list(topics)), request_timeout=self._answers.timeout)
        for name, future in futures.items():
            answer = self._answers.value(f"describing topic '{name}'", future)
            if isinstance(answer, Failure):
                found[name] = answer
            else:
                found[name] = {p.id: tuple(node.id for node in p.replicas) for p in answer.partitions}
        return found

    def moving(self) -> Outcome[frozenset[Partition]]:
        answer = self._second.call("listing reassignments", lambda client: client.list_partition_reassignments())
        return answer if isinstance(answer, Failure) else frozenset((p.topic, p.partition) for p in answer)

    def sizes(self, topics: Mapping[str, Collection[int]]) -> Outcome[dict[Partition, int]]:
        return log_sizes(self._second, topics)

    def reassign(self, replicas: Mapping[Partition, Replicas]) -> Outcome[dict[Partition, Failure]]:
        from kafka import TopicPartition as Key  # noqa: PLC0415

        wanted = {Key(*partition): list(brokers) for partition, brokers in replicas.items()}
        what = "reassigning partitions"
        answer = self._second.call(what, lambda client: client.alter_partition_reassignments(wanted))
        if isinstance(answer, Failure):
            return answer
        return {
            (p.topic, p.partition): self._second.failed(f"{what} of topic '{p.topic}'", error.errno, None)
            for p, error in answer.items()
            if error is not None
        }

    def throttle(self, topics: Mapping[str, Throttled], brokers: Collection[int], rate: int) -> tuple[Failure, ...]:
        changes = {
            name: ConfigChange(set=dict(zip(THROTTLED_REPLICAS, (replicas.leaders, replicas.followers), strict=True)))
            for name, replicas in topics.items()
        }
        return self._configure(changes, {str(b): ConfigChange(set=dict.fromkeys(_RATES, str(rate))) for b in brokers})

    def unthrottle(self, topics: Collection[str], brokers: Collection[int]) -> tuple[Failure, ...]:
        names = dict.fromkeys(topics, ConfigChange(reset=frozenset(THROTTLED_REPLICAS)))
        return self._configure(names, {str(b): ConfigChange(reset=frozenset(_RATES)) for b in brokers})

    def _configure(
        self, topics: Mapping[str, ConfigChange], brokers: Mapping[str, ConfigChange]
    ) -> tuple[Failure, ...]:
        failures: list[Failure] = []
        # Kafka takes the config of one broker per request, and that broker must get it itself.
        calls = [(ResourceType.TOPIC, topics), *((ResourceType.BROKER, {b: change}) for b, change in brokers.items())]
        for kind, changes in calls:
            resources = [ConfigResource(kind, n, incremental_configs=entries(c)) for n, c in changes.items()]
            if not resources:
                continue
            futures = self._admin.incremental_alter_configs(resources, request_timeout=self._answers.timeout)
            what = f"throttling {kind.name.lower()}"
            done = self._answers.done(what, {r.name: future for r, future in futures.items()})
            failures += [failure for failure in done.values() if failure is not None]
        return tuple(f for f in failures if f.kind is not FailureKind.MISSING)

    def elect_preferred(self, partitions: Collection[Partition]) -> tuple[Failure, ...]:
        # librdkafka has it too, but its Python binding fails on every call.
        by_topic: dict[str, list[int]] = {}
        for name, number in partitions:
            by_topic.setdefault(name, []).append(number)
        what = "electing preferred leaders"
        answer = self._second.call(what, lambda client: client.elect_leaders(_PREFERRED, by_topic, raise_errors=False))
        if isinstance(answer, Failure):
            return (answer,)
        codes = {p.error_code for result in answer.replica_election_results for p in result.partition_result}
        return tuple(self._second.failed(what, code, None) for code in sorted(codes - {0, _ELECTION_NOT_NEEDED}))
