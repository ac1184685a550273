"""Waiting until a cluster can really be used."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

from .admin import REQUEST_SECONDS, quiet_admin
from .errors import LocalClusterError
from .ports import accepts
from .properties import HOST, bootstrap_servers

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from confluent_kafka.admin import AdminClient

    from .state import State

_POLL_SECONDS = 0.05
_GROUP = "kafka-topology-ready"


@dataclass(frozen=True)
class Patience:
    """How long to wait, and when not to: `check_alive` raises when a broker has died."""

    deadline: float
    check_alive: Callable[[], None]

    def until(self, what: str, step: Callable[..., bool], *arguments: object) -> None:
        """Any error of Kafka means "not yet": what is wrong for good shows at the deadline."""
        from confluent_kafka import KafkaException  # noqa: PLC0415 - only a start needs it

        answer = ""
        while True:
            try:
                if step(*arguments):
                    return
            except KafkaException as error:
                answer = f" The last answer was: {error.args[0].str()}"
            self.check_alive()
            if time.monotonic() > self.deadline:
                raise LocalClusterError(
                    f"Waited too long for {what}.{answer}",
                    "The machine may be overloaded: try again, or wait longer with --timeout.",
                )
            time.sleep(_POLL_SECONDS)


def wait_ready(state: State, patience: Patience) -> None:
    """Every broker answers, the cluster has all of them, and groups have a coordinator."""
    for node in state.nodes:
        for port in node.listeners.values():
            patience.until(f"broker {node.id} to listen on port {port}", accepts, port)
    admin = quiet_admin(bootstrap_servers(state))
    ids = [node.id for node in state.nodes]
    patience.until(f"the cluster to have its {len(ids)} brokers", _has_all, admin, ids)
    for broker in ids:
        patience.until(f"broker {broker} to answer", _answers, admin, broker)
    patience.until("the coordinator of consumer groups", _has_coordinator, admin)
    patience.check_alive()


def wait_logins(state: State, logins: Mapping[str, Mapping[str, str]], patience: Patience) -> None:
    """Every broker lets these in: the settings of a client for each listener."""
    for node in state.nodes:
        for listener, security in logins.items():
            admin = quiet_admin(f"{HOST}:{node.listeners[listener]}", security)
            patience.until(f"broker {node.id} to let a client in by {listener}", _lets_in, admin)


def _lets_in(admin: AdminClient) -> bool:
    return bool(admin.list_topics(timeout=REQUEST_SECONDS).brokers)


def _has_all(admin: AdminClient, ids: list[int]) -> bool:
    nodes = admin.describe_cluster(request_timeout=REQUEST_SECONDS).result().nodes
    return sorted(node.id for node in nodes) == ids


def _answers(admin: AdminClient, broker: int) -> bool:
    """A request about a broker's configuration is sent to that very broker."""
    from confluent_kafka.admin import ConfigResource  # type: ignore[attr-defined] # noqa: PLC0415

    resource = ConfigResource(ConfigResource.Type.BROKER, str(broker))
    answers = admin.describe_configs([resource], request_timeout=REQUEST_SECONDS)
    return bool(answers[resource].result())


def _has_coordinator(admin: AdminClient) -> bool:
    """Asking for a group makes the brokers create the topic of the offsets."""
    from confluent_kafka import KafkaError, KafkaException  # noqa: PLC0415

    answers = admin.describe_consumer_groups([_GROUP], request_timeout=REQUEST_SECONDS)
    try:
        answers[_GROUP].result()
    except KafkaException as error:
        if error.args[0].code() != KafkaError.GROUP_ID_NOT_FOUND:
            raise
    return True
