"""What a data folder remembers of its cluster, for other processes that look for it or stop it."""

from __future__ import annotations

import json
import os
from dataclasses import asdict, dataclass, field, replace
from typing import TYPE_CHECKING, Any

from .errors import LocalClusterError

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

FILE = "cluster.json"
FORMAT = 1
PLAIN = "PLAINTEXT"


@dataclass(frozen=True)
class Node:
    """One broker. `pid` and `started` are set while it should run.

    `secured` has the ports of the listeners besides the plain one. `votes`: it is a controller too.
    """

    id: int
    rack: str
    port: int
    controller_port: int
    pid: int | None = None
    started: str | None = None
    secured: Mapping[str, int] = field(default_factory=dict)
    votes: bool = True

    @property
    def listeners(self) -> dict[str, int]:
        """The ports for clients, by listener; the plain one first."""
        return {PLAIN: self.port, **self.secured}


@dataclass(frozen=True)
class State:
    kafka: str
    cluster_id: str
    heap: str
    nodes: tuple[Node, ...]
    formatted: bool = False
    has_users: bool = False
    like_new: bool = False  # Kafka's own defaults, and no topic that nobody asked for

    @property
    def secure(self) -> bool:
        return any(node.secured for node in self.nodes)

    @property
    def voters(self) -> tuple[Node, ...]:
        return tuple(node for node in self.nodes if node.votes)

    def with_node(self, node: Node) -> State:
        nodes = tuple(node if other.id == node.id else other for other in self.nodes)
        return replace(self, nodes=nodes)


def racks(count: int) -> list[str]:
    """a, b, c … z, aa, ab …"""
    letters = "abcdefghijklmnopqrstuvwxyz"
    names = []
    for number in range(count):
        high, low = divmod(number, len(letters))
        names.append((letters[high - 1] if high else "") + letters[low])
    return names


def load(data: Path) -> State | None:
    """The state in a data folder, or None when there is none."""
    path = data / FILE
    try:
        raw = json.loads(path.read_text(encoding="utf-8"))
        return _parse(raw)
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        raise LocalClusterError(f"{path} cannot be read: {error.strerror}.") from error
    except (ValueError, TypeError, KeyError, AttributeError) as error:
        raise LocalClusterError(
            f"{path} is not what kafka-topology wrote: {error}.",
            "Delete the folder, or choose another one with --data.",
        ) from error


def _parse(raw: dict[str, Any]) -> State:
    if raw.pop("format") != FORMAT:
        raise ValueError("written by another version of kafka-topology")
    nodes = tuple(Node(**node) for node in raw.pop("nodes"))
    return State(**raw, nodes=nodes)


def save(data: Path, state: State) -> None:
    """Written as a whole: a reader sees the old state or the new one."""
    temporary = data / f".{FILE}.{os.getpid()}"
    text = json.dumps({"format": FORMAT, **asdict(state)}, indent=2)
    temporary.write_text(text + "\n", encoding="utf-8")
    temporary.replace(data / FILE)
