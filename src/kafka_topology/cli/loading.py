"""Loading for commands that need a topology which reads without problems."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from rich.console import Console

from kafka_topology.topology import load

if TYPE_CHECKING:
    from kafka_topology.topology import Loaded, Topology


def load_or_exit(path: Path, environment: str | None = None) -> Loaded:
    """The loaded files. Shows every problem on stderr and ends with exit code 2 if there is one."""
    loaded = load(path, environment)
    if loaded.topology is None:
        from kafka_topology.report.text import findings_text, summary_text

        console = Console(stderr=True, highlight=False, soft_wrap=True)
        console.print(findings_text(loaded.problems, loaded.line))
        console.print(summary_text(loaded.problems, str(path)))
        raise SystemExit(2)
    return loaded


def topology_or_exit(path: Path, environment: str | None = None) -> Topology:
    topology = load_or_exit(path, environment).topology
    assert topology is not None  # noqa: S101 - it would have ended above
    return topology
