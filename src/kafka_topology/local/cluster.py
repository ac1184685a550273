"""A real Kafka on this machine: start it, observe it and stop it through its data folder."""

from __future__ import annotations

import sys
import time
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, Self

from kafka_topology.toolchain import ensure_kafka
from kafka_topology.toolchain.lock import file_lock

from . import state as states
from .errors import LocalClusterError, PortTakenError
from .layout import Layout, default_data, why_it_ended
from .processes import alive as processes
from .processes.interrupts import interrupts_deferred
from .processes.jvm import java_command, start_detached
from .processes.ports import is_free
from .processes.storage import format_storage
from .properties import bootstrap_servers
from .readiness import Patience, wait_ready
from .secured.credentials import ADMIN
from .secured.setup import client_settings, let_users_in, prepare_secrets, without_lost_users
from .settings import Settings, fit, new_state, with_ports
from .status import ClusterStatus, observe

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path
    from types import TracebackType

    from .secured.listeners import Listener, Mechanism
    from .state import Node, State

START_SECONDS = 90.0
STOP_SECONDS = 20.0
_ATTEMPTS = 4
_PORT_TAKEN = ("Address already in use", "BindException")


class LocalCluster:
    """Brokers outlive this process, but not the context manager."""

    def __init__(
        self,
        data: Path | None = None,
        *,
        brokers: int | None = None,
        port: int | None = None,
        heap: str | None = None,
        secure: bool = False,
        like_new: bool = False,
        delete_on_exit: bool = False,
    ) -> None:
        self.layout = Layout((data or default_data()).expanduser().absolute())
        self.settings = Settings(brokers, port, heap, secure, like_new)
        self.delete_on_exit = delete_on_exit

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.stop(delete=self.delete_on_exit)

    @property
    def data(self) -> Path:
        return self.layout.data

    @property
    def bootstrap_servers(self) -> str:
        return bootstrap_servers(self._state())

    def client_settings(
        self,
        listener: Listener = "SASL_SSL",
        *,
        user: str = ADMIN,
        mechanism: Mechanism = "SCRAM-SHA-512",
        java: bool = False,
    ) -> dict[str, str]:
        """What a client needs to come in by a listener, for librdkafka or Java. Holds a password: do not print it.

        Spark wants Java's, with `kafka.` before each name.
        """
        return client_settings(self.layout, self._state(), listener, user, mechanism, java=java)

    def status(self) -> ClusterStatus:
        return observe(self.layout, states.load(self.data))

    def start(self, timeout: float = START_SECONDS) -> ClusterStatus:
        """Start the brokers that are not running, and wait until the cluster can be used."""
        if states.load(self.data) is None:
            self.layout.refuse_foreign()
        ensure_kafka()
        with self._locked():
            state = states.load(self.data)
            if state is None:
                state = new_state(self.settings)
            else:
                running = any(_runs(node) for node in state.nodes)
                state = fit(state, self.settings, self.data, running=running)
            self._start(state, timeout)
        return self.status()

    def stop(self, *, delete: bool = False, grace: float = STOP_SECONDS) -> ClusterStatus:
        """Stop all brokers. With `delete` their data is deleted, so they are killed at once."""
        if states.load(self.data) is None:
            return self.status()
        with self._locked():
            state = states.load(self.data)
            if state is None:  # another process deleted it while we waited
                return self.status()
            self._end(state.nodes, grace=0 if delete else grace)
            states.save(self.data, _without_processes(state))
            if delete:
                self.layout.delete(state)
        return self.status()

    def kill(self, broker: int) -> None:
        """Kill one broker, as a crash would. For tests of failures; `start` starts it again."""
        state = states.load(self.data)
        for node in state.nodes if state else ():
            if node.id == broker:
                self._end([node], grace=0)

    def _state(self) -> State:
        state = states.load(self.data)
        if state is None:
            raise LocalClusterError(f"There is no cluster in {self.data}.", "Start one first.")
        return state

    @contextmanager
    def _locked(self) -> Iterator[None]:
        try:
            with file_lock(
                self.layout.lock,
                timeout=START_SECONDS,
                waiting=lambda: _say(f"Waiting for another process that uses {self.data}."),
            ):
                yield
        except TimeoutError:
            raise LocalClusterError(
                f"Another process has been starting or stopping the cluster in {self.data} for {START_SECONDS:.0f} s.",
                "Wait for it or end it, then try again.",
            ) from None
        except OSError as error:
            raise LocalClusterError(
                f"{self.data} cannot be used: {error.strerror or error}.",
                "Choose another folder with --data.",
            ) from error

    def _start(self, state: State, timeout: float) -> None:
        """A new cluster on ports of our choice tries others when another process took one."""
        may_move = not state.formatted and not self.settings.port
        for attempt in range(1, _ATTEMPTS + 1):
            try:
                self._start_once(state, timeout)
            except PortTakenError:
                if not may_move or attempt == _ATTEMPTS:
                    raise
                # Format its storage again too: the old one remembers the brokers of the first try.
                state = with_ports(state, None)
            else:
                return

    def _start_once(self, state: State, timeout: float) -> None:
        missing = [node for node in state.nodes if not _runs(node)]
        for node in missing:
            _refuse_taken_ports(node)
        try:
            if missing:
                state = self._prepare(state)
            for node in missing:
                with interrupts_deferred():  # an unrecorded pid could not be stopped
                    state = state.with_node(self._launch(state, node))
                states.save(self.data, state)
            patience = Patience(time.monotonic() + timeout, lambda: self._check_alive(state))
            wait_ready(state, patience)
            if state.secure:
                state = let_users_in(self.layout, state, patience)
                states.save(self.data, state)
        except BaseException:
            # Ctrl-C included: stop what this call started.
            ours = {node.id for node in missing}
            self._end([node for node in state.nodes if node.id in ours], grace=0)
            for node in missing:
                state = state.with_node(replace(node, pid=None, started=None))
            states.save(self.data, state)
            raise

    def _prepare(self, state: State) -> State:
        # Save the state first: if this is interrupted, the folder is still known as ours.
        state = without_lost_users(self.layout, state)
        states.save(self.data, state)
        self.layout.write(state, prepare_secrets(self.layout) if state.secure else None)
        if not state.formatted:
            format_storage(self.layout, state)
            state = replace(state, formatted=True)
            states.save(self.data, state)
        return state

    def _launch(self, state: State, node: Node) -> Node:
        log = self.layout.log(node)
        if log.exists():
            log.replace(log.with_suffix(".log.1"))
        arguments = [str(self.layout.properties(node))]
        command = java_command("kafka.Kafka", arguments, heap=state.heap, log4j=self.layout.log4j)
        with log.open("wb") as output:
            pid = start_detached(command, output, self.layout.node(node))
        return replace(node, pid=pid, started=processes.start_mark(pid))

    def _check_alive(self, state: State) -> None:
        for node in state.nodes:
            if not _runs(node):
                log = self.layout.log(node)
                end = why_it_ended(log)
                kind = PortTakenError if any(t in end for t in _PORT_TAKEN) else LocalClusterError
                raise kind(
                    f"Broker {node.id} ended while it was starting:\n{end}",
                    f"The whole log: {log}",
                )

    def _end(self, nodes: list[Node] | tuple[Node, ...], *, grace: float) -> None:
        left = processes.end_all([(node.pid, node.started) for node in nodes], grace=grace)
        if left:
            raise LocalClusterError(
                f"These processes do not end: {', '.join(map(str, left))}.",
                "They may hang in the kernel; inspect them with ps.",
            )


def _runs(node: Node) -> bool:
    return processes.is_running(node.pid, node.started)


def _without_processes(state: State) -> State:
    nodes = tuple(replace(node, pid=None, started=None) for node in state.nodes)
    return replace(state, nodes=nodes)


def _refuse_taken_ports(node: Node) -> None:
    controller = (node.controller_port,) if node.votes else ()
    for port in (*node.listeners.values(), *controller):
        if not is_free(port):
            raise PortTakenError(
                f"Port {port} of broker {node.id} is in use by another process.",
                "Choose another port with --port, or free ones with --port 0.",
            )


def _say(message: str) -> None:
    sys.stderr.write(f"{message}\n")
