"""What the principal of this client may do, as the brokers tell it about itself. Needs no access to ACLs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from confluent_kafka import TopicCollection as Names

from .outcomes import Failure, Outcome

if TYPE_CHECKING:
    from collections.abc import Collection

    from .connecting.connection import Connection


@dataclass(frozen=True, slots=True)
class Permissions:
    """Operations have the names of Kafka's tools, such as AlterConfigs. Without an authorizer, all are allowed."""

    connection: Connection

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


def _of(answer: Any) -> Outcome[frozenset[str]]:
    return answer if isinstance(answer, Failure) else _named(answer.authorized_operations)


def _named(operations: Collection[Any] | None) -> frozenset[str]:
    return frozenset(each.name.title().replace("_", "") for each in operations or ())
