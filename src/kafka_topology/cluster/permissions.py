"""What the principal of this client may do, as the brokers tell it about itself. Needs no access to ACLs."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

from confluent_kafka import TopicCollection as Names
from confluent_kafka.admin import ConfigResource, ResourceType  # type: ignore[attr-defined]  # unmarked there

from .outcomes import Failure, FailureKind, Outcome

if TYPE_CHECKING:
    from collections.abc import Callable, Collection

    from .connecting.connection import Connection
    from .connecting.second_client import SecondClient


@dataclass(frozen=True, slots=True)
class Permissions:
    """Operations have the names of Kafka's tools, such as AlterConfigs. Without an authorizer, all are allowed."""

    connection: Connection
    second: Callable[[], SecondClient]

    def on_cluster(self) -> Outcome[frozenset[str]]:
        """Empty without Describe on the cluster: Kafka then says nothing about the others either."""
        with self.connection.asking() as ask:
            future = ask.admin.describe_cluster(include_authorized_operations=True, request_timeout=ask.timeout)
            answer = ask.value("describing the cluster", future)
        return answer if isinstance(answer, Failure) else _named(answer.authorized_operations)

    def on_topics(self, names: Collection[str]) -> dict[str, Outcome[frozenset[str]]]:
        if not names:
            return {}
        with self.connection.asking() as ask:
            futures = ask.admin.describe_topics(
                Names(list(names)), include_authorized_operations=True, request_timeout=ask.timeout
            )
            answers = {name: ask.value(f"describing topic '{name}'", future) for name, future in futures.items()}
        return {name: _of(answer) for name, answer in answers.items()}

    def on_groups(self, names: Collection[str]) -> dict[str, Outcome[frozenset[str]]]:
        if not names:
            return {}
        with self.connection.asking() as ask:
            futures = ask.admin.describe_consumer_groups(
                list(names), include_authorized_operations=True, request_timeout=ask.timeout
            )
            answers = {name: ask.value(f"describing group '{name}'", future) for name, future in futures.items()}
        return {name: _of(answer) for name, answer in answers.items()}

    def on_new_topics(self, names: Collection[str], to_read: Collection[str]) -> dict[str, Outcome[frozenset[str]]]:
        """Whether DescribeConfigs is allowed on topics that do not exist, and Read on those `to_read`.

        A describe shows no topic that is not there. Brokers decide about access before they look for a topic, so the
        requests that read configs and producers answer it. They change nothing.
        """
        if not names:
            return {}
        readable = self._may_read(to_read)
        with self.connection.asking() as ask:
            resources = [ConfigResource(ResourceType.TOPIC, name) for name in names]
            futures = ask.admin.describe_configs(resources, request_timeout=ask.timeout)
            configs = {
                resource.name: ask.value(f"reading the config of topic '{resource.name}'", future)
                for resource, future in futures.items()
            }
        return {name: _on_new(configs[name], readable.get(name, True)) for name in names}

    def _may_read(self, names: Collection[str]) -> dict[str, Outcome[bool]]:
        if not names:
            return {}
        from .topics.producers import ask_leader  # noqa: PLC0415 - its client is loaded when it is needed

        second = self.second()
        asked = partial(ask_leader, leader=None, partitions={name: [0] for name in names})
        answer = second.call("looking for producers", asked)
        if answer is None or isinstance(answer, Failure):
            why = "the brokers are too old to say it" if answer is None else answer.message
            unknown = Failure(FailureKind.UNCERTAIN, f"whether Read is allowed on topics that are new: {why}")
            return dict.fromkeys(names, unknown)
        denied = {
            topic.name
            for topic in answer.topics
            for partition in topic.partitions
            if (failed := second.failed("", partition.error_code, None)) and failed.kind is FailureKind.DENIED
        }
        return {name: name not in denied for name in names}


def _on_new(config: Any, may_read: Outcome[bool]) -> Outcome[frozenset[str]]:
    if isinstance(may_read, Failure):
        return may_read
    is_denied = isinstance(config, Failure) and config.kind is FailureKind.DENIED
    if isinstance(config, Failure) and not is_denied and config.kind is not FailureKind.MISSING:
        return config
    return frozenset({*(["Read"] if may_read else []), *([] if is_denied else ["DescribeConfigs"])})


def _of(answer: Any) -> Outcome[frozenset[str]]:
    return answer if isinstance(answer, Failure) else _named(answer.authorized_operations)


def _named(operations: Collection[Any] | None) -> frozenset[str]:
    return frozenset(each.name.title().replace("_", "") for each in operations or ())
