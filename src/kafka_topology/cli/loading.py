"""Loading for commands that need a topology which reads without problems."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from rich.console import Console

from kafka_topology.topology import load

if TYPE_CHECKING:
    from kafka_topology.topology import Loaded, Topology


# Wide enough that no message or path is ever broken where no person is looking.
_UNBROKEN = 10_000


def plain_console(*, stderr: bool = False) -> Console:
    """Colour and line breaks on a terminal only: what another program reads has one line for each line."""
    console = Console(stderr=stderr, highlight=False)
    return console if console.is_terminal else Console(stderr=stderr, highlight=False, width=_UNBROKEN)


def load_or_exit(path: Path, environment: str | None = None) -> Loaded:
    """The loaded files. Shows every problem on stderr and ends with exit code 2 if there is one."""
    loaded = load(path, environment)
    if loaded.topology is None:
        from kafka_topology.report.text import findings_text, summary_text

        console = plain_console(stderr=True)
        console.print(findings_text(loaded.problems, loaded.line))
        console.print(summary_text(loaded.problems, str(path)))
        raise SystemExit(2)
    return loaded


def topology_or_exit(path: Path, environment: str | None = None) -> Topology:
    topology = load_or_exit(path, environment).topology
    assert topology is not None  # noqa: S101 - it would have ended above
    return topology
