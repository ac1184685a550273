"""Refuses deletions and replacements at the start of a run; the engine asks for them only at its end.

The engine sends no deletion to a provider in a preview, and a replacement looks like a creation. A program can read
the state of its own stack, though, and send it to the provider. Your own program can do the same.
"""

from __future__ import annotations

import time
from contextlib import suppress
from typing import TYPE_CHECKING, Final

import pulumi

from kafka_topology.provider.config.settings import PACKAGE
from kafka_topology.provider.plugin.previews import PREVIEW_STATE
from kafka_topology.provider.resources.topology.items import TOPOLOGY

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping

_READ_STATE: Final = "pulumi:pulumi:readStackResourceOutputs"


def refuse_in_preview(provider: pulumi.ProviderResource, declared: Collection[tuple[str, str]]) -> None:
    """Raises if something must not be deleted. `declared` has the type and name of every resource of the program.

    So a run without a preview is refused as a whole, before the first deletion. If the state cannot be read, this only
    warns: the provider then refuses the same deletions one by one.
    """
    try:
        found = _state()
    except Exception as error:  # noqa: BLE001 - the program works without it, whatever a backend raises
        pulumi.log.warn(f"The state of this stack could not be read, so deletions are judged only by the run: {error}")
        return
    resources = list(_resources(found, frozenset(declared)))
    if not resources:
        return
    answer = pulumi.runtime.invoke(
        PREVIEW_STATE, {"resources": resources}, pulumi.InvokeOptions(provider=provider)
    ).value
    refusals = answer.get("refusals") if isinstance(answer, dict) else None
    if refusals:
        raise pulumi.RunError("\n".join(["What this change removes must stay:", *refusals]))


def _state(attempts: int = 5) -> Mapping[str, Mapping[str, object]]:
    """A backend in files replaces the state while others read it, and an empty file is an error: it is read again."""
    stack = f"{pulumi.get_organization()}/{pulumi.get_project()}/{pulumi.get_stack()}"
    for _ in range(attempts - 1):
        with suppress(Exception):
            return _read_state(stack)
        time.sleep(0.2)
    return _read_state(stack)


def _read_state(stack: str) -> Mapping[str, Mapping[str, object]]:
    found: Mapping[str, Mapping[str, object]] = pulumi.runtime.invoke(_READ_STATE, {"stackName": stack}).value[
        "outputs"
    ]
    return found


def _resources(
    found: Mapping[str, Mapping[str, object]], declared: frozenset[tuple[str, str]]
) -> Iterator[dict[str, object]]:
    for urn, resource in found.items():
        token, name = str(resource["type"]), urn.rpartition("::")[2]
        if not token.startswith(f"{PACKAGE}:index:"):
            continue
        if f"{TOPOLOGY}$" in urn and any(kind == TOPOLOGY for kind, _ in declared):
            continue  # a view: its owner judges what it removes
        sent: dict[str, object] = {"type": token, "urn": urn}
        if (token, name) not in declared:
            sent |= {"removed": True, "properties": resource["outputs"]}
        yield sent
