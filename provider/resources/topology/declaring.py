"""How the provider gets the topology that a resource names: the code that starts the plugin passes a function.

The provider itself reads no files and knows no rules.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from kafka_topology.topology.model.declared import Topology


@dataclass(frozen=True, slots=True)
class Declaration:
    """A topology that passed all rules, or the errors that forbid applying it."""

    topology: Topology | None
    errors: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()


class Declare(Protocol):
    def __call__(self, path: str, environment: str | None, stack: str) -> Declaration:
        """Loads and judges it. Without an environment, the one with the name of the stack is used, if it exists."""


def nothing_to_read(path: str, environment: str | None, stack: str) -> Declaration:  # noqa: ARG001
    return Declaration(None, ("this plugin cannot read topology files",))
