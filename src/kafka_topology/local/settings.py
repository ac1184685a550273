"""The settings of a new cluster, and whether they fit an existing one."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from shlex import quote
from typing import TYPE_CHECKING

from kafka_topology.toolchain import KAFKA

from .errors import SettingsError
from .processes.ports import free_ports
from .processes.storage import new_cluster_id
from .secured.listeners import SECURED
from .state import Node, State, racks

if TYPE_CHECKING:
    from pathlib import Path

DEFAULT_HEAP = "256m"
MAX_BROKERS = 9
_MINIMUM_HEAP = 96 * 1024**2
_UNITS = {"k": 1024, "m": 1024**2, "g": 1024**3}


@dataclass(frozen=True)
class Settings:
    """None means: as it is, or the default for a new cluster. Port 0 means: other free ones.

    A cluster is made secure or plain, and like new or for quick tests, and stays so; not asking for either accepts
    both.
    """

    brokers: int | None = None
    port: int | None = None
    heap: str | None = None
    secure: bool = False
    like_new: bool = False

    def __post_init__(self) -> None:
        if self.brokers is not None and not 1 <= self.brokers <= MAX_BROKERS:
            raise SettingsError(f"--brokers is {self.brokers}; choose 1 to {MAX_BROKERS}.")
        if self.port and not 1024 <= self.port <= 65535 - MAX_BROKERS:
            raise SettingsError(f"--port is {self.port}; choose 1024 to {65535 - MAX_BROKERS}.")
        if self.heap is not None and _bytes(self.heap) < _MINIMUM_HEAP:
            raise SettingsError(f"A heap of {self.heap} is too small for a broker; use 96m or more.")


def _bytes(heap: str) -> int:
    found = re.fullmatch(r"(\d{1,6})([kmg])", heap.lower())
    if not found:
        raise SettingsError(f"{heap!r} is not a heap size; write 256m or 1g, for example.")
    return int(found[1]) * _UNITS[found[2]]


def new_state(settings: Settings) -> State:
    count = settings.brokers or 1
    secured: dict[str, int] = dict.fromkeys(SECURED if settings.secure else (), 0)
    voters = odd(count)
    nodes = tuple(Node(at + 1, rack, 0, 0, secured=secured, votes=at < voters) for at, rack in enumerate(racks(count)))
    heap = settings.heap or DEFAULT_HEAP
    state = State(KAFKA.version, new_cluster_id(), heap, nodes, like_new=settings.like_new)
    return with_ports(state, settings.port)


def odd(brokers: int) -> int:
    """How many of the brokers are controllers: an even quorum survives no more losses than one controller fewer."""
    return brokers - 1 if brokers % 2 == 0 else brokers


def with_ports(state: State, first: int | None) -> State:
    """Brokers on `first` and the ports after it, or on free ones as all other listeners are."""
    count = len(state.nodes)
    chosen = [first + at for at in range(count)] if first else free_ports(count)
    each = 1 + len(state.nodes[0].secured)
    others = iter(free_ports(count * each, avoid=chosen))
    return replace(
        state,
        nodes=tuple(
            replace(
                node,
                port=port,
                controller_port=next(others),
                secured={listener: next(others) for listener in node.secured},
            )
            for node, port in zip(state.nodes, chosen, strict=True)
        ),
    )


def fit(state: State, settings: Settings, data: Path, *, running: bool) -> State:
    """The state with these settings. Raises SettingsError if it cannot have them."""
    count = len(state.nodes)
    if settings.brokers not in {None, count}:
        raise SettingsError(
            f"The cluster in {data} has {count} {'broker' if count == 1 else 'brokers'}, not {settings.brokers}.",
            _elsewhere(data),
        )
    if settings.secure and not state.secure:
        raise SettingsError(
            f"The cluster in {data} was created without secured listeners, so --secure cannot be added.",
            _elsewhere(data),
        )
    if settings.like_new and not state.like_new:
        raise SettingsError(
            f"The cluster in {data} was created with settings for quick tests, so --like-new cannot be added.",
            _elsewhere(data),
        )
    port = state.nodes[0].port
    for name, asked, actual in (
        ("--port", settings.port or port, port),
        ("--heap", settings.heap or state.heap, state.heap),
    ):
        if running and asked != actual:
            raise SettingsError(
                f"The cluster in {data} is running with {name} {actual}, not {asked}.",
                f"Stop it first (its data is kept):\n  kafka-topology local stop --data {quote(str(data))}",
            )
    if running:
        return state
    changed = replace(state, heap=settings.heap or state.heap, kafka=KAFKA.version)
    wanted = settings.port is not None and settings.port != port
    return with_ports(changed, settings.port) if wanted else changed


def _elsewhere(data: Path) -> str:
    return (
        "Choose another folder with --data, or delete that cluster and its data first:\n"
        f"  kafka-topology local stop --data {quote(str(data))} --delete"
    )
