"""Three brokers whose clients come in through Toxiproxy, on disks that can be filled.

Each broker has two more listeners, one plain and one with TLS and SCRAM. It names their proxies to clients; the brokers
talk to each other directly, and so does whoever judges the outcome.
"""

from __future__ import annotations

import os
import signal
import subprocess
import time
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from confluent_kafka import KafkaException
from confluent_kafka.admin import AdminClient
from kafka import KafkaAdminClient

from kafka_topology.local import LocalCluster
from kafka_topology.local import state as states
from kafka_topology.local.errors import LocalClusterError
from kafka_topology.local.layout import Layout
from kafka_topology.local.processes.alive import is_running, start_mark
from kafka_topology.local.processes.ports import free_ports
from kafka_topology.local.properties import HOST, render, server_properties
from kafka_topology.local.secured.private import write_private

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from kafka_topology.local.state import Node, State

    from .toxiproxy import Toxiproxy

Via = Literal["plain", "secured"]
LISTENERS: dict[Via, str] = {"plain": "PROXIED", "secured": "SECURED"}
BROKERS = (1, 2, 3)
DISK = "512m"
_PATIENCE = 180.0


@dataclass(frozen=True)
class Door:
    """A broker's port for one of the listeners, and the port of the proxy before it."""

    port: int
    proxy: int


@dataclass(frozen=True)
class ProxiedLayout(Layout):
    doors: Mapping[tuple[int, str], Door]

    def write(self, state: State, security: Mapping[str, str] | None = None) -> None:
        super().write(state, security)
        for node in state.nodes:
            values = {**server_properties(state, node, self.storage(node)), **(security or {})}
            write_private(self.properties(node), render(self._with_doors(node, values)))
            mount_small(self.storage(node))

    def _with_doors(self, node: Node, values: dict[str, str]) -> dict[str, str]:
        doors = {name: self.doors[node.id, name] for name in LISTENERS.values()}
        for setting, ports in (
            ("listeners", {name: door.port for name, door in doors.items()}),
            ("advertised.listeners", {name: door.proxy for name, door in doors.items()}),
        ):
            values[setting] += "".join(f",{name}://{HOST}:{port}" for name, port in ports.items())
        values["listener.security.protocol.map"] += ",PROXIED:PLAINTEXT,SECURED:SASL_SSL"
        logins = {key: value for key, value in values.items() if key.startswith("listener.name.sasl_ssl.")}
        return values | {key.replace(".sasl_ssl.", ".secured."): value for key, value in logins.items()}


def mount_small(folder: Path) -> None:
    """A disk that can be filled, where this user may mount one. See the fault disk-full for where not."""
    folder.mkdir(exist_ok=True)
    if not folder.is_mount():
        command = ["mount", "-t", "tmpfs", "-o", f"size={DISK}", "tmpfs", str(folder)]
        with suppress(OSError):
            subprocess.run(command, check=False, capture_output=True)


class TorturedCluster(LocalCluster):
    """Started with Toxiproxy running; `via` says by which listener a client comes in."""

    def __init__(self, data: Path) -> None:
        super().__init__(data, brokers=len(BROKERS), secure=True, delete_on_exit=True)
        names = [(broker, name) for broker in BROKERS for name in LISTENERS.values()]
        ports = free_ports(2 * len(names))
        doors = {key: Door(*ports[2 * at : 2 * at + 2]) for at, key in enumerate(names)}
        self.doors = doors
        self._ending: dict[int, str | None] = {}  # pid and start of brokers that were asked to stop
        self.layout = ProxiedLayout(self.layout.data, doors)

    def add_proxies(self, toxiproxy: Toxiproxy) -> None:
        for (broker, name), door in self.doors.items():
            toxiproxy.add_proxy(f"{name}-{broker}", door.proxy, door.port)

    def servers(self, via: Via) -> str:
        return ",".join(f"{HOST}:{self.doors[broker, LISTENERS[via]].proxy}" for broker in BROKERS)

    def login(self, via: Via) -> dict[str, str]:
        """Of a librdkafka client; as the administrator by the secured listener."""
        security = self.client_settings() if via == "secured" else {}
        return {**security, "bootstrap.servers": self.servers(via)}

    def stop(self, *, delete: bool = False, grace: float = 20.0) -> object:  # type: ignore[override]
        state = states.load(self.data)
        super().stop(grace=0 if delete else grace)
        for node in state.nodes if state and delete else ():
            if self.layout.storage(node).is_mount():
                subprocess.run(["umount", "--lazy", str(self.layout.storage(node))], check=False)
        return super().stop(delete=delete)

    def pid(self, broker: int) -> int:
        pid = self._node(broker).pid
        assert pid is not None
        return pid

    def storage(self, broker: int) -> Path:
        return self.layout.storage(self._node(broker))

    def log(self, broker: int) -> Path:
        return self.layout.log(self._node(broker))

    def _node(self, broker: int) -> Node:
        return next(node for node in self._state().nodes if node.id == broker)

    def signal(self, broker: int, number: signal.Signals) -> None:
        pid = self.pid(broker)
        if number == signal.SIGTERM:
            self._ending[pid] = start_mark(pid)
        with suppress(ProcessLookupError):
            os.kill(pid, number)

    def controller(self) -> int:
        client = KafkaAdminClient(bootstrap_servers=self.bootstrap_servers.split(","))
        try:
            return int(client.describe_metadata_quorum()["topics"][0]["partitions"][0]["leader_id"])
        finally:
            client.close()

    def bring_back(self) -> None:
        """All brokers run, none is paused, and every replica is in sync."""
        for broker in BROKERS:
            self.signal(broker, signal.SIGCONT)
        deadline = time.monotonic() + _PATIENCE
        self._wait_ended(deadline)
        while True:
            try:
                self.start(timeout=_PATIENCE)
                break
            except LocalClusterError:  # a port that is free only a moment later, or a broker that needs a second start
                if time.monotonic() > deadline:
                    raise
                time.sleep(0.2)
        self._wait_in_sync(deadline)

    def _wait_ended(self, deadline: float) -> None:
        """A broker that was asked to stop counts as running until it has stopped."""
        while any(is_running(pid, mark) for pid, mark in self._ending.items()):
            if time.monotonic() > deadline:
                raise TimeoutError("a broker that was asked to stop still runs")
            time.sleep(0.1)
        self._ending.clear()

    def _wait_in_sync(self, deadline: float) -> None:
        admin = AdminClient({"bootstrap.servers": self.bootstrap_servers, "log_level": 0})
        while True:
            with suppress(KafkaException):
                topics = admin.list_topics(timeout=10).topics.values()
                partitions = [partition for topic in topics for partition in topic.partitions.values()]
                if all(set(one.isrs) == set(one.replicas) and one.leader > 0 for one in partitions):
                    return
            if time.monotonic() > deadline:
                raise TimeoutError("replicas are not in sync again")
            time.sleep(0.1)
