"""What can be seen of a cluster from outside: its processes and their ports."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Literal

from .processes.alive import is_paused, is_running
from .processes.ports import accepts
from .properties import bootstrap_servers

if TYPE_CHECKING:
    from collections.abc import Mapping

    from .layout import Layout
    from .state import Node, State

BrokerState = Literal["running", "starting", "paused", "dead", "stopped"]
ClusterState = Literal["running", "starting", "degraded", "stopped", "absent"]


@dataclass(frozen=True)
class BrokerStatus:
    """`dead`: it ended without being stopped. `paused`: a signal (SIGSTOP) or a debugger holds it."""

    id: int
    state: BrokerState
    pid: int | None
    port: int
    rack: str
    log: str


@dataclass(frozen=True)
class ClusterStatus:
    """`listeners` has the addresses of each; `credentials` and `ca` are files of a secured cluster."""

    state: ClusterState
    data: str
    kafka: str | None = None
    cluster_id: str | None = None
    bootstrap_servers: str | None = None
    listeners: Mapping[str, str] = field(default_factory=dict)
    credentials: str | None = None
    ca: str | None = None
    brokers: tuple[BrokerStatus, ...] = ()

    def as_json(self) -> dict[str, object]:
        """For programs, with the names that all JSON of the product has."""
        plain = asdict(self)
        plain["clusterId"] = plain.pop("cluster_id")
        plain["bootstrapServers"] = plain.pop("bootstrap_servers")
        return plain


def observe(layout: Layout, state: State | None) -> ClusterStatus:
    if state is None:
        return ClusterStatus(state="absent", data=str(layout.data))
    brokers = tuple(_broker(layout, node) for node in state.nodes)
    return ClusterStatus(
        state=_cluster_state({broker.state for broker in brokers}),
        data=str(layout.data),
        kafka=state.kafka,
        cluster_id=state.cluster_id,
        bootstrap_servers=bootstrap_servers(state),
        listeners={name: bootstrap_servers(state, name) for name in state.nodes[0].listeners},
        credentials=str(layout.credentials) if state.secure else None,
        ca=str(layout.certificates.ca) if state.secure else None,
        brokers=brokers,
    )


def _broker(layout: Layout, node: Node) -> BrokerStatus:
    alive = is_running(node.pid, node.started)
    seen: BrokerState
    if alive and node.pid is not None and is_paused(node.pid):
        seen = "paused"
    elif alive:
        seen = "running" if all(map(accepts, node.listeners.values())) else "starting"
    else:
        seen = "stopped" if node.pid is None else "dead"
    pid = node.pid if alive else None
    return BrokerStatus(node.id, seen, pid, node.port, node.rack, str(layout.log(node)))


def _cluster_state(seen: set[BrokerState]) -> ClusterState:
    if seen == {"running"}:
        return "running"
    if seen <= {"dead", "stopped"}:
        return "stopped"
    return "starting" if seen <= {"running", "starting"} else "degraded"
