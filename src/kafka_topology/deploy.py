"""The Pulumi program: loads a topology, judges it, and registers what it asks for."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import pulumi

from kafka_topology.provider.config import KEYS
from kafka_topology.provider.desired import desired_ownership, desired_resources
from kafka_topology.provider.settings import PACKAGE
from kafka_topology.sdk import Access, ConsumerGroup, Quota, Topic, User
from kafka_topology.topology import Finding, Severity, Topology, load
from kafka_topology.validators import validate
from kafka_topology.waiting import wait_for

if TYPE_CHECKING:
    from collections.abc import Mapping

_OTHERS: Final = {"Access": Access, "User": User, "Quota": Quota}
_CAPITAL: Final = re.compile(r"(?=[A-Z])")


class Team(pulumi.ComponentResource):
    """Groups the resources of one owner, so that a preview reads like the organisation."""

    def __init__(self, owner: str) -> None:
        super().__init__(f"{PACKAGE}:index:Team", owner)


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
    ownership = pulumi.Output.json_dumps(desired_ownership(topology.ownership))
    provider = pulumi.ProviderResource(PACKAGE, "kafka", {**_stack_config(), "ownership": ownership})
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
        inputs = _arguments(resource.inputs)
        match resource.kind:
            case "Topic":
                topics[resource.name] = Topic(resource.name, opts=opts, **inputs)
            case "ConsumerGroup":
                groups[resource.name] = ConsumerGroup(resource.name, opts=opts, **inputs)
            case other:
                secrets = {name: pulumi.Config().require_secret(key) for name, key in resource.secrets.items()}
                others.append(_OTHERS[other](resource.name, opts=opts, **inputs, **secrets))
    pulumi.export(
        "topics",
        {name: {"id": topic.topic_id, "partitions": topic.partitions} for name, topic in topics.items()},
    )
    pulumi.export(
        "groups",
        {name: {"state": group.state, "members": group.members, "lag": group.lag} for name, group in groups.items()},
    )
    wait_for((*topics.values(), *groups.values(), *others))


def _stack_config() -> dict[str, pulumi.Input[Any]]:
    """The provider's settings in the stack's config; secrets stay secret."""
    stack = pulumi.Config(PACKAGE)
    values = {key.name: stack.get_secret(key.name) if key.secret else stack.get(key.name) for key in KEYS}
    return {name: value for name, value in values.items() if value is not None}


def _arguments(inputs: Mapping[str, object]) -> dict[str, Any]:
    """The inputs as the typed classes name them: `key_type` for the schema's `keyType`."""
    return {_CAPITAL.sub("_", name).lower(): value for name, value in inputs.items()}
