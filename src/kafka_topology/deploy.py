"""The Pulumi program: loads a topology, judges it, and registers what it asks for."""

from __future__ import annotations

from pathlib import Path

import pulumi

from kafka_topology.provider.desired import desired_ownership, desired_resources
from kafka_topology.provider.resources import PACKAGE, Provider, Team, Topic
from kafka_topology.topology import Finding, Severity, Topology, load
from kafka_topology.validators import validate


def deploy() -> None:
    """Everything the stack's config names. An error finding stops the preview, with its place."""
    config = pulumi.Config(PACKAGE)
    path = project_root() / (config.get("path") or "topology")
    topology = load_valid(path, config.get("environment"), pulumi.get_stack())
    register(topology)


def project_root() -> Path:
    """The folder of Pulumi.yaml. Older language hosts do not say, so it is looked for from the program upwards."""
    told = pulumi.runtime.get_root_directory()
    if told:
        return Path(told)
    here = Path.cwd()
    return next((folder for folder in (here, *here.parents) if (folder / "Pulumi.yaml").is_file()), here)


def load_valid(path: Path, environment: str | None, stack: str) -> Topology:
    """The topology with the environment that is configured, or else the one named like the stack, if there is one."""
    loaded = load(path, environment or stack, environment_optional=environment is None)
    findings = loaded.problems if loaded.topology is None else validate(loaded.topology)
    for finding in findings:
        if finding.severity is Severity.WARNING:
            pulumi.log.warn(_line(finding))
    errors = [_line(finding) for finding in findings if finding.severity is Severity.ERROR]
    if errors or loaded.topology is None:
        raise pulumi.RunError("\n".join(["The topology has errors:", *errors]))
    return loaded.topology


def _line(finding: Finding) -> str:
    return f"{finding.location}: {finding.id} {finding.message} ({finding.remediation})"


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
        {name: {"id": topic.topic_id, "partitions": topic.partitions} for name, topic in topics.items()},
    )
