"""Loads a topology for commands that need one without errors."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from kafka_topology.topology import load

from .connecting.taken import owning
from .exits import Exit
from .writing import plain_console

if TYPE_CHECKING:
    from kafka_topology.topology import Loaded, Topology


def load_or_exit(path: Path, environment: str | None = None) -> Loaded:
    """The loaded files. Prints all findings on stderr and ends the command when they are no topology."""
    loaded = load(path, environment)
    if loaded.topology is None:
        from kafka_topology.report.findings.text import findings_text, summary_text

        console = plain_console(stderr=True)
        console.print(findings_text(loaded.problems, loaded.line))
        console.print(summary_text(loaded.problems, str(path)))
        raise SystemExit(Exit.UNUSABLE)
    return owning(loaded)


def topology_or_exit(path: Path, environment: str | None = None) -> Topology:
    return loaded_topology(load_or_exit(path, environment))


def loaded_topology(loaded: Loaded) -> Topology:
    """The topology of files that loaded without errors."""
    assert loaded.topology is not None  # noqa: S101 - `load_or_exit` ended the command otherwise
    return loaded.topology
