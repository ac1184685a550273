"""The Pulumi program: loads a topology, judges it, and registers what it asks for."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pulumi

from kafka_topology.provider.desired import desired_ownership, desired_resources
from kafka_topology.provider.resources import PACKAGE, Provider, Team, Topic

if TYPE_CHECKING:
    from kafka_topology.topology.model import Topology


def deploy() -> None:
    """Everything the stack's config names. An error finding stops the preview, with its place."""
    config = pulumi.Config(PACKAGE)
    path = project_root(Path.cwd()) / (config.get("path") or "topology")
    register(load_valid(path, config.get("environment") or None, pulumi.get_stack()))


def project_root(folder: Path) -> Path:
    """The folder of Pulumi.yaml. The program runs in `main`; older hosts do not tell the root."""
    candidates = (folder, *folder.parents)
    return next((f for f in candidates if (f / "Pulumi.yaml").is_file()), folder)


def load_valid(path: Path, environment: str | None, stack: str) -> Topology:
    """The one place that knows how a topology is loaded and judged."""
    from kafka_topology.topology import load  # type: ignore[attr-defined]  # noqa: PLC0415
    from kafka_topology.validators import validate  # type: ignore[attr-defined]  # noqa: PLC0415

    loaded = load(path, environment=environment)
    if environment is None and stack in loaded.environments:
        loaded = load(path, environment=stack)
    findings = list(loaded.problems)
    if loaded.topology is not None:
        findings += validate(loaded.topology)
    for finding in findings:
        text = f"{finding.location}: {finding.id} {finding.message}"
        if finding.severity == "warning":
            pulumi.log.warn(text)
    errors = [f for f in findings if f.severity == "error"]
    if errors or loaded.topology is None:
        lines = [f"{f.location}: {f.id} {f.message}" for f in errors]
        raise pulumi.RunError("\n".join(["The topology has errors:", *lines]))
    topology: Topology = loaded.topology
    return topology


def register(topology: Topology) -> None:
    provider = Provider("kafka", ownership=desired_ownership(topology.ownership))
    teams: dict[str, Team] = {}
    topics: dict[str, Topic] = {}
    for resource in desired_resources(topology):
        owner = resource.owner
        if owner is not None and owner not in teams:
            teams[owner] = Team(owner)
        opts = pulumi.ResourceOptions(
            provider=provider,
            parent=teams[owner] if owner is not None else None,
            protect=resource.protected,
        )
        topics[resource.name] = Topic.from_inputs(resource.name, resource.inputs, opts)
    pulumi.export(
        "topics",
        {
            name: {"id": topic.topic_id, "partitions": topic.partitions}
            for name, topic in topics.items()
        },
    )
