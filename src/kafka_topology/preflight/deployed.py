"""What the last deployment left: the resources of a stack's state, or of an earlier revision of the files."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final, TypeAlias, cast

from ..provider.config.settings import PACKAGE
from ..provider.desired.resources import Desired, desired_resources
from ..provider.plugin.properties import Secret
from ..provider.plugin.versions import WRITTEN_BY
from ..provider.resources.base import Old
from ..provider.resources.descriptor import installed_kinds, token_of

if TYPE_CHECKING:
    from ..provider.plugin.properties import Properties, Value
    from ..stacks.locks import Locks
    from ..topology.model.declared import Topology

Key: TypeAlias = tuple[str, str]
"""The kind of a resource and its name in Pulumi."""

# Pulumi marks a secret in its state with this key. Nobody needs the value here.
_SIGNATURE: Final = "4dabf18193072939515e22adb298388d"
_NOT_READ: Final = Secret("a secret that a preflight does not read")
_PROVIDER: Final = f"pulumi:providers:{PACKAGE}"


class BadState(ValueError):
    """The exported state of a stack cannot be used; the message says why."""


@dataclass(frozen=True, slots=True)
class Deployed:
    """`source` says where this is known from. `provider` is the version that deployed it, if the state says it."""

    source: str
    resources: Mapping[Key, Old] = field(default_factory=dict)
    provider: str | None = None
    cluster: str | None = None
    topology: Topology | None = None  # of an earlier revision
    unfinished: tuple[str, ...] = ()  # what a run that was killed had begun
    locks: Locks | None = None  # of a stack


def urn_of(kind: str, name: str) -> str:
    """Not the stack's own URN: a preflight registers nothing."""
    return f"urn:pulumi:preflight::preflight::{token_of(kind)}::{name}"


def inputs_of(desired: Desired) -> dict[str, Value]:
    secrets: dict[str, Value] = dict.fromkeys(desired.secrets, _NOT_READ)
    return {**cast("Mapping[str, Value]", desired.inputs), **secrets}


def deployed_by(topology: Topology, source: str) -> Deployed:
    """What an earlier version of the files declared, as if it was deployed completely."""
    resources = {}
    for each in desired_resources(topology):
        inputs = inputs_of(each)
        resources[each.kind, each.name] = Old(each.name, inputs, inputs, urn_of(each.kind, each.name))
    return Deployed(source, resources, topology=topology)


def read_state(document: Any, source: str) -> Deployed:
    """What `pulumi stack export` shows. Raises BadState if it is something else."""
    if not isinstance(document, dict) or not isinstance(document.get("deployment"), dict):
        raise BadState("it is not what `pulumi stack export` writes")
    deployment = document["deployment"]
    found = [each for each in deployment.get("resources") or () if isinstance(each, dict)]
    kinds = {kind.token: kind.name for kind in installed_kinds().values()}
    resources: dict[Key, Old] = {}
    versions: list[str] = []
    clusters: list[str] = []
    for each in found:
        inputs, outputs = (_plain(each.get(part) or {}) for part in ("inputs", "outputs"))
        token = str(each.get("type"))
        written = (each.get("outputs") or {}).get(WRITTEN_BY)
        versions += [written] if token in kinds and isinstance(written, str) else []
        if token == _PROVIDER:
            versions += [str(version)] if (version := inputs.get("version")) else []
            continue
        if token not in kinds or each.get("delete") is True:
            continue
        name = str(each.get("urn")).rpartition("::")[2]
        kind = kinds[token]
        resources[kind, name] = Old(str(each.get("id") or name), inputs, outputs, urn_of(kind, name))
        clusters += [cluster] if isinstance(cluster := outputs.get("clusterId"), str) else []
    pending = deployment.get("pending_operations") or ()
    return Deployed(
        source,
        resources,
        provider=max(versions, default=None, key=_version),
        cluster=clusters[0] if clusters else None,
        unfinished=tuple(
            str((each.get("resource") or {}).get("urn")).rpartition("::")[2]
            for each in pending
            if isinstance(each, dict)
        ),
    )


def _plain(value: Any) -> Any:
    """The properties without what only the engine uses. A secret becomes one that equals every other secret."""
    if isinstance(value, dict):
        if _SIGNATURE in value:
            return _NOT_READ
        return {key: _plain(item) for key, item in value.items() if not key.startswith("__")}
    if isinstance(value, list):
        return [_plain(item) for item in value]
    # JSON has one kind of number; Kafka's counts are whole.
    return int(value) if isinstance(value, float) and value.is_integer() else value


def _version(text: str) -> tuple[int, ...]:
    return version_of(text) or ()


def version_of(text: str) -> tuple[int, ...] | None:
    """`1.2.3` as numbers, to compare; None if it is no such version."""
    parts = text.lstrip("v").partition("+")[0].partition("-")[0].split(".")
    return tuple(int(part) for part in parts) if all(part.isdigit() for part in parts) else None


def identity_of(kind: str, inputs: Properties) -> object:
    """The name in Kafka, as findings have it."""
    return installed_kinds()[kind].reviewed.named(inputs)
