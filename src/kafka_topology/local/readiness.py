"""Waiting until a cluster can really be used. The only place here that speaks Kafka's protocol."""

from __future__ import annotations

import logging
import time
from typing import TYPE_CHECKING

from .errors import LocalClusterError
from .ports import accepts
from .properties import bootstrap_servers

if TYPE_CHECKING:
    from collections.abc import Callable

    from confluent_kafka.admin import AdminClient

    from .state import State

_POLL_SECONDS = 0.05
_REQUEST_SECONDS = 3.0
_GROUP = "kafka-topology-ready"


def wait_ready(state: State, *, deadline: float, check_alive: Callable[[], None]) -> None:
    """Every broker answers, the cluster has all of them, and groups have a coordinator.

    `check_alive` raises when a broker has died: then there is nothing to wait for.
    """

    def until(what: str, step: Callable[..., bool], *arguments: object) -> None:
        while not step(*arguments):
            check_alive()
            if time.monotonic() > deadline:
                raise LocalClusterError(
                    f"Waited too long for {what}.",
                    "The machine may be overloaded: try again, or wait longer with --timeout.",
                )
            time.sleep(_POLL_SECONDS)

    for node in state.nodes:
        until(f"broker {node.id} to listen on port {node.port}", accepts, node.port)
    admin = _admin(state)
    ids = [node.id for node in state.nodes]
    until(f"the cluster to have its {len(ids)} brokers", _has_all, admin, ids)
    for broker in ids:
        until(f"broker {broker} to answer", _answers, admin, broker)
    until("the coordinator of consumer groups", _has_coordinator, admin)
    check_alive()


def _admin(state: State) -> AdminClient:
    from confluent_kafka.admin import AdminClient  # noqa: PLC0415 - only a start needs it

    silent = logging.getLogger("kafka_topology.local.librdkafka")
    silent.addHandler(logging.NullHandler())
    silent.propagate = False
    settings: dict[str, str | int | float | bool] = {
        "bootstrap.servers": bootstrap_servers(state),
        "socket.timeout.ms": 3000,
        "reconnect.backoff.ms": 20,
        "reconnect.backoff.max.ms": 100,
        "log_level": 0,
    }
    return AdminClient(settings, logger=silent)


def _has_all(admin: AdminClient, ids: list[int]) -> bool:
    def ask() -> bool:
        nodes = admin.describe_cluster(request_timeout=_REQUEST_SECONDS).result().nodes
        return sorted(node.id for node in nodes) == ids

    return _holds(ask)


def _answers(admin: AdminClient, broker: int) -> bool:
    """A request about a broker's configuration is sent to that very broker."""
    from confluent_kafka.admin import ConfigResource  # type: ignore[attr-defined] # noqa: PLC0415

    resource = ConfigResource(ConfigResource.Type.BROKER, str(broker))

    def ask() -> bool:
        answers = admin.describe_configs([resource], request_timeout=_REQUEST_SECONDS)
        return bool(answers[resource].result())

    return _holds(ask)


def _has_coordinator(admin: AdminClient) -> bool:
    """Asking for a group makes the brokers create the topic of the offsets."""
    from confluent_kafka import KafkaError, KafkaException  # noqa: PLC0415

    def ask() -> bool:
        answers = admin.describe_consumer_groups([_GROUP], request_timeout=_REQUEST_SECONDS)
        try:
            answers[_GROUP].result()
        except KafkaException as error:
            return bool(error.args[0].code() == KafkaError.GROUP_ID_NOT_FOUND)
        return True

    return _holds(ask)


def _holds(ask: Callable[[], bool]) -> bool:
    """Any error of Kafka means "not yet": what is wrong for good shows at the deadline."""
    from confluent_kafka import KafkaException  # noqa: PLC0415

    try:
        return ask()
    except KafkaException:
        return False
