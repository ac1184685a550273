"""The Pulumi program: loads a topology, runs the rules on it, and registers its resources."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import pulumi
from pulumi.runtime.config import get_config_env

from kafka_topology import sdk
from kafka_topology.program.declaring import declared_at
from kafka_topology.program.previews import refuse_in_preview
from kafka_topology.program.waiting import wait_for
from kafka_topology.provider.config.keys import KEYS
from kafka_topology.provider.config.settings import PACKAGE
from kafka_topology.provider.desired.resources import desired_ownership, desired_resources
from kafka_topology.provider.resources.descriptor import Desired, installed_kinds, token_of
from kafka_topology.provider.resources.topology.items import TOPOLOGY
from kafka_topology.stacks.project import project_root
from kafka_topology.stacks.stack import DEFAULT_PATH, OWNED_TWICE, topology_path, wrong_keys

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from kafka_topology.topology import Topology

# The program runs the rules on the whole topology, with its suppressions, so the plugin must not judge its parts again.
_JUDGED: Final = json.dumps({"enabled": False})
_CAPITAL: Final = re.compile(r"(?=[A-Z])")
# The choices of the config `resources`: one resource per item, or one for all of them.
EACH: Final = "each"
ONE: Final = "one"
_NAME: Final = "topology"


_TEAM: Final = f"{PACKAGE}:index:Team"


class Team(pulumi.ComponentResource):
    """Groups the resources of one owner in the preview's tree."""

    def __init__(self, owner: str) -> None:
        super().__init__(_TEAM, owner)


def deploy() -> None:
    """Applies the topology that the stack's config names. An error of a rule stops the preview."""
    config = pulumi.Config(PACKAGE)
    root = project_root(Path.cwd())
    path = topology_path(root, config.get("path"))
    # The plugin judges the files of one resource itself.
    judged = not _is_one_resource()
    register(load_valid(path, config.get("environment") or None, pulumi.get_stack(), root, judged=judged))


def load_valid(
    path: Path,
    environment: str | None,
    stack: str,
    root: Path,
    warn: Callable[[str], None] = pulumi.log.warn,
    *,
    judged: bool = True,
) -> Topology:
    """The topology with the configured environment, or else the one with the name of the stack, if it exists."""
    declaration = declared_at(path, environment, stack, root, judged=judged)
    for warning in declaration.warnings:
        warn(warning)
    if declaration.topology is None:
        raise pulumi.RunError("\n".join(["The topology has errors:", *declaration.errors]))
    return declaration.topology


def register(topology: Topology) -> None:
    refuse_unknown_keys(get_config_env())
    as_one = _is_one_resource()
    ownership = _ownership(topology)
    if pulumi.Config(PACKAGE).get("rules"):
        pulumi.log.warn(
            f"{PACKAGE}:rules has no effect on a topology in YAML. Set severities under `rules:` in the topology, and"
            f" `ignore:` on its resources; then run 'pulumi config rm {PACKAGE}:rules'."
        )
    provider = pulumi.ProviderResource(PACKAGE, "kafka", {**_stack_config(), "ownership": ownership, "rules": _JUDGED})
    if as_one:
        _register_as_one(topology, provider)
    else:
        _register_each(topology, provider)


def _is_one_resource() -> bool:
    """Whether the stack's config chooses one resource for the whole topology."""
    chosen = pulumi.Config(PACKAGE).get("resources") or EACH
    if chosen not in {EACH, ONE}:
        raise pulumi.RunError(f"{PACKAGE}:resources is {chosen!r}. Set it to '{EACH}' or '{ONE}'.")
    return chosen == ONE


def _register_as_one(topology: Topology, provider: pulumi.ProviderResource) -> None:
    """Registers one `Topology`. It is protected if one of its items is, so a preview refuses its deletion."""
    desired = desired_resources(topology)
    refuse_in_preview(provider, {*_keys(desired), (TOPOLOGY, _NAME)})
    config = pulumi.Config(PACKAGE)
    project = pulumi.Config()
    names = sorted({key for resource in desired for key in resource.secrets.values()})
    registered = sdk.Topology(
        _NAME,
        path=config.get("path") or DEFAULT_PATH,
        environment=config.get("environment") or None,
        secrets={name: project.require_secret(name) for name in names} or None,
        opts=pulumi.ResourceOptions(
            provider=provider,
            protect=any(resource.protected for resource in desired),
            delete_before_replace=True,  # the provider can refuse a deletion; a creation shows no sign of `--replace`
        ),
    )
    pulumi.export("resources", registered.resources)


def _register_each(topology: Topology, provider: pulumi.ProviderResource) -> None:
    teams: dict[str, Team] = {}
    registered: dict[str, dict[str, pulumi.Resource]] = {kind: {} for kind in installed_kinds()}
    desired = desired_resources(topology)
    refuse_in_preview(provider, _keys(desired))
    for resource in desired:
        owner = resource.owner
        if owner is not None and owner not in teams:
            teams[owner] = Team(owner)
        topics = registered["Topic"]
        opts = pulumi.ResourceOptions(
            provider=provider,
            parent=teams[owner] if owner is not None else None,
            protect=resource.protected,
            aliases=_former_urns(token_of(resource.kind), resource.name),
            depends_on=[topics[name] for name in resource.after if name in topics],
        )
        registered[resource.kind][resource.name] = _resource(resource, opts)
    for kind in installed_kinds().values():
        if kind.exported is not None:
            shows = kind.exported.shows.items()
            pulumi.export(
                kind.exported.name,
                {
                    name: {key: getattr(resource, output) for key, output in shows}
                    for name, resource in registered[kind.name].items()
                },
            )
    wait_for([resource for resources in registered.values() for resource in resources.values()])


def _keys(desired: Iterable[Desired]) -> set[tuple[str, str]]:
    return {(token_of(resource.kind), resource.name) for resource in desired}


def _resource(desired: Desired, opts: pulumi.ResourceOptions) -> pulumi.Resource:
    """Registers it with the typed class of its kind, which has the same name."""
    secrets = {name: pulumi.Config().require_secret(key) for name, key in desired.secrets.items()}
    made: pulumi.Resource = getattr(sdk, desired.kind)(desired.name, opts=opts, **_arguments(desired.inputs), **secrets)
    return made


def _former_urns(token: str, name: str) -> list[pulumi.Input[str | pulumi.Alias]]:
    """The URNs with and without a team, so a resource stays the same when it gets or loses an owner.

    A URN holds only the types of its parents, so a move to another team changes nothing.
    """
    prefix = f"urn:pulumi:{pulumi.get_stack()}::{pulumi.get_project()}"
    return [f"{prefix}::{token}::{name}", f"{prefix}::{_TEAM}${token}::{name}"]


def refuse_unknown_keys(config: Mapping[str, str]) -> None:
    """Refuses unknown keys, because a typo such as `maxDelete: 0` would limit nothing."""
    given = [key.removeprefix(f"{PACKAGE}:") for key in config if key.startswith(f"{PACKAGE}:")]
    wrong = wrong_keys(given, pulumi.get_project())
    if wrong:
        raise pulumi.RunError("\n".join(["The stack's config has errors:", *wrong]))


def _ownership(topology: Topology) -> pulumi.Input[str]:
    """The ownership of the topology, or else of the stack's config. Raises when both declare one."""
    declared = desired_ownership(topology.ownership)
    configured = pulumi.Config(PACKAGE).get("ownership")
    if configured and any(declared.values()):
        raise pulumi.RunError(OWNED_TWICE)
    return configured or pulumi.Output.json_dumps(declared)


def _stack_config() -> dict[str, pulumi.Input[Any]]:
    """The provider's settings in the stack's config; secrets stay secret."""
    stack = pulumi.Config(PACKAGE)
    values = {key.name: stack.get_secret(key.name) if key.secret else stack.get(key.name) for key in KEYS}
    return {name: value for name, value in values.items() if value is not None}


def _arguments(inputs: Mapping[str, object]) -> dict[str, Any]:
    """The inputs as the typed classes name them: `key_type` for the schema's `keyType`."""
    return {_CAPITAL.sub("_", name).lower(): value for name, value in inputs.items()}
