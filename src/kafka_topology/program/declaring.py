"""Loads a topology and runs the rules on it, for the Pulumi program and for the plugin."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from kafka_topology.provider.resources.topology.declaring import Declaration

if TYPE_CHECKING:
    from kafka_topology.topology import Finding, Topology


def declare(path: str, environment: str | None, stack: str) -> Declaration:
    """The topology at a path relative to the folder of `Pulumi.yaml`, or else to the current folder."""
    # The imports take a while, and most runs of the plugin need none of them.
    from kafka_topology.stacks.project import project_root  # noqa: PLC0415
    from kafka_topology.stacks.stack import topology_path  # noqa: PLC0415

    root = project_root(Path.cwd())
    return declared_at(topology_path(root, path), environment, stack, root)


def declared_at(path: Path, environment: str | None, stack: str, root: Path, *, judged: bool = True) -> Declaration:
    """Uses the configured environment, or else the one with the name of the stack, if it exists.

    Without `judged`, no rules run: only a topology that cannot be read has errors.
    """
    from kafka_topology.topology import Severity, load  # noqa: PLC0415

    loaded = load(path, environment or stack, environment_optional=environment is None)
    findings = loaded.problems if loaded.topology is None or not judged else _judge(loaded.topology)
    errors, warnings = (
        tuple(_line(finding, root) for finding in findings if finding.severity is severity)
        for severity in (Severity.ERROR, Severity.WARNING)
    )
    return Declaration(None if errors else loaded.topology, errors, warnings)


def _judge(topology: Topology) -> tuple[Finding, ...]:
    from kafka_topology.validators import validate  # noqa: PLC0415 - so many rules take a while to load

    return validate(topology)


def _line(finding: Finding, root: Path) -> str:
    """Paths relative to the project's folder, as a user would write them."""
    place = str(finding.location).removeprefix(f"{root}/")
    return f"{place}: {finding.id} {finding.message}. Fix: {finding.fix}"
