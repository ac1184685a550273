"""The Pulumi program: loads a topology, judges it, and registers what it asks for."""

from __future__ import annotations

from pathlib import Path

import pulumi

from kafka_topology.provider.desired import desired_ownership, desired_resources
from kafka_topology.provider.resources import (
    PACKAGE,
    Access,
    ConsumerGroup,
    Provider,
    Quota,
    Team,
    Topic,
    User,
    wait_for,
)
from kafka_topology.topology import Finding, Severity, Topology, load
from kafka_topology.validators import validate

_MAKERS = {"Access": Access.from_inputs, "User": User.from_inputs, "Quota": Quota.from_inputs}


def deploy() -> None:
    """Everything the stack's config names. An error finding stops the preview, with its place."""
    config = pulumi.Config(PACKAGE)
    root = project_root(Path.cwd())
    path = root / (config.get("path") or "topology")
    register(load_valid(path, config.get("environment") or None, pulumi.get_stack(), root))


def project_root(folder: Path) -> Path:
    """The folder of Pulumi.yaml. The program runs in `main`; older hosts do not tell the root."""
    candidates = (folder, *folder.parents)
    return next((f for f in candidates if (f / "Pulumi.yaml").is_file()), folder)


def load_valid(path: Path, environment: str | None, stack: str, root: Path) -> Topology:
    """The topology with the environment that is configured, or else the one named like the stack, if there is one."""
    loaded = load(path, environment or stack, environment_optional=environment is None)
    findings = loaded.problems if loaded.topology is None else validate(loaded.topology)
    for finding in findings:
        if finding.severity is Severity.WARNING:
            pulumi.log.warn(_line(finding, root))
    errors = [_line(finding, root) for finding in findings if finding.severity is Severity.ERROR]
    if errors or loaded.topology is None:
        raise pulumi.RunError("\n".join(["The topology has errors:", *errors]))
    return loaded.topology


def _line(finding: Finding, root: Path) -> str:
    """Paths as a person in the project's folder would write them."""
    place = str(finding.location).removeprefix(f"{root}/")
    return f"{place}: {finding.id} {finding.message}. To mend it: {finding.remediation}"


def register(topology: Topology) -> None:
    provider = Provider("kafka", ownership=desired_ownership(topology.ownership))
    teams: dict[str, Team] = {}
    topics: dict[str, Topic] = {}
    groups: dict[str, ConsumerGroup] = {}
    others: list[pulumi.Resource] = []
    for resource in desired_resources(topology):
        owner = resource.owner
        if owner is not None and owner not in teams:
            teams[owner] = Team(owner)
        opts = pulumi.ResourceOptions(
            provider=provider,
            parent=teams[owner] if owner is not None else None,
            protect=resource.protected,
            depends_on=[topics[name] for name in resource.after if name in topics],
        )
        match resource.kind:
            case "Topic":
                topics[resource.name] = Topic.from_inputs(resource.name, resource.inputs, opts)
            case "ConsumerGroup":
                groups[resource.name] = ConsumerGroup.from_inputs(resource.name, resource.inputs, opts)
            case _:
                secrets = {name: pulumi.Config().require_secret(key) for name, key in resource.secrets.items()}
                others.append(_MAKERS[resource.kind](resource.name, {**resource.inputs, **secrets}, opts))
    pulumi.export(
        "topics",
        {name: {"id": topic.topic_id, "partitions": topic.partitions} for name, topic in topics.items()},
    )
    pulumi.export(
        "groups",
        {name: {"state": group.state, "members": group.members, "lag": group.lag} for name, group in groups.items()},
    )
    wait_for((*topics.values(), *groups.values(), *others))
