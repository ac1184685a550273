"""Waits until a cluster can be used."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

from kafka_topology.cluster.outcomes import ClusterUnreachableError, Failure, FailureKind

from .admin import opened
from .errors import LocalClusterError
from .processes.ports import accepts
from .properties import HOST, bootstrap_servers

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from kafka_topology.cluster.cluster import Cluster
    from kafka_topology.cluster.outcomes import Outcome

    from .state import State

_POLL_SECONDS = 0.05
_GROUP = "kafka-topology-ready"


@dataclass(frozen=True)
class Patience:
    """How long to wait, and when not to: `check_alive` raises when a broker has died."""

    deadline: float
    check_alive: Callable[[], None]

    def until(self, what: str, step: Callable[..., Outcome[bool]], *arguments: object) -> None:
        """Repeat `step` until it gives True. A failure means "not yet"; the last one shows at the deadline."""
        answer = ""
        while True:
            done = step(*arguments)
            if isinstance(done, Failure):
                answer = f" The last answer was: {done.message}"
            elif done:
                return
            self.check_alive()
            if time.monotonic() > self.deadline:
                raise LocalClusterError(
                    f"Waited too long for {what}.{answer}",
                    "The machine may be overloaded: try again, or wait longer with --timeout.",
                )
            time.sleep(_POLL_SECONDS)


def wait_ready(state: State, patience: Patience) -> None:
    """Every broker answers and the cluster has all of them. Unless it is like new, groups have a coordinator."""
    for node in state.nodes:
        for port in node.listeners.values():
            patience.until(f"broker {node.id} to listen on port {port}", accepts, port)
    ids = [node.id for node in state.nodes]
    with opened(bootstrap_servers(state)) as cluster:
        patience.until(f"the cluster to have its {len(ids)} brokers", _has_all, cluster, ids)
        for broker in ids:
            patience.until(f"broker {broker} to answer", _answers, cluster, broker)
        if not state.like_new:
            patience.until("the coordinator of consumer groups", _has_coordinator, cluster)
    patience.check_alive()


def wait_logins(state: State, logins: Mapping[str, Mapping[str, str]], patience: Patience) -> None:
    """Every broker lets these in: the settings of a client for each listener."""
    for node in state.nodes:
        for listener, security in logins.items():
            with opened(f"{HOST}:{node.listeners[listener]}", security) as cluster:
                patience.until(f"broker {node.id} to let a client in by {listener}", _lets_in, cluster)


def _lets_in(cluster: Cluster) -> Outcome[bool]:
    try:
        cluster.connect()
    except ClusterUnreachableError as error:
        return Failure(FailureKind.UNREACHABLE, str(error))
    return True


def _has_all(cluster: Cluster, ids: list[int]) -> Outcome[bool]:
    brokers = cluster.replicas.brokers()
    return brokers if isinstance(brokers, Failure) else sorted(brokers) == ids


def _answers(cluster: Cluster, broker: int) -> Outcome[bool]:
    """Kafka's clients ask a broker for its settings itself."""
    settings = cluster.survey.broker_configs([broker])[broker]
    return settings if isinstance(settings, Failure) else bool(settings)


def _has_coordinator(cluster: Cluster) -> Outcome[bool]:
    """Asking for a group makes the brokers create the topic of the offsets."""
    group = cluster.groups.coordinated([_GROUP])[_GROUP]
    return group if isinstance(group, Failure) else True
