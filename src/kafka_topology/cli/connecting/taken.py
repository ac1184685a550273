"""What the running command took from a Pulumi stack, for all who need it: the client, the loader, the reports."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import click

from ..exits import Exit, stop

if TYPE_CHECKING:
    from kafka_topology.provider.config.settings import Settings
    from kafka_topology.report.run import TakenFromStack
    from kafka_topology.stacks.stack import Stack
    from kafka_topology.topology import Loaded

_TAKEN = "kafka_topology.taken_from_stack"
_WHY_NOT = "kafka_topology.why_no_stack"


@dataclass(frozen=True, slots=True)
class Taken:
    """`parts` names what came from the stack. `settings` and `client` are None if no cluster is asked."""

    stack: Stack
    parts: tuple[str, ...]
    settings: Settings | None = field(default=None, repr=False)
    client: Mapping[str, str] | None = field(default=None, repr=False)


def keep(found: Taken) -> None:
    click.get_current_context().meta[_TAKEN] = found


def taken() -> Taken | None:
    context = click.get_current_context(silent=True)
    found: Taken | None = context.meta.get(_TAKEN) if context is not None else None
    return found


def keep_why_not(reason: str) -> None:
    click.get_current_context().meta[_WHY_NOT] = reason


def why_no_stack() -> str:
    """Why no stack was used, as the end of a message; empty if nobody could expect one."""
    why: str = click.get_current_context().meta.get(_WHY_NOT, "")
    return why and f"; {why}"


def owning(loaded: Loaded) -> Loaded:
    """The files with the ownership of the stack's config. Ends the command if both declare one."""
    found = taken()
    if found is None or found.settings is None or loaded.topology is None:
        return loaded
    from kafka_topology.stacks.pulumi_cli import StackUnreadable

    try:
        return replace(loaded, topology=found.stack.owning(loaded.topology, found.settings))
    except StackUnreadable as error:
        stop(Exit.UNUSABLE, str(error))


def described() -> TakenFromStack | None:
    """What came from the stack, for reports."""
    from kafka_topology.report.run import TakenFromStack

    found = taken()
    if found is None:
        return None
    return TakenFromStack(found.stack.name, found.stack.project.name, found.parts)
