"""Which version of this product wrote a resource into the state: an older one must not change what it cannot read.

The engine keeps the version of a provider under a name that changes with it, so the plugin cannot see it there.
A property whose name begins with `__` is internal: the engine shows no difference in it, and no SDK has it.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

from kafka_topology import __version__
from kafka_topology.cluster.outcomes import Failure, FailureKind

from ..resources.base import Old, OperationError, State
from .properties import reveal

if TYPE_CHECKING:
    from .properties import Properties

WRITTEN_BY: Final = "__version"


def readable(old: Old, named: str, version: str = __version__) -> Old:
    """The resource without the mark of its version. Raises if a newer version wrote it.

    A state from before the mark was introduced has none. Patches of a version read each other's states.
    """
    written = _written_by(old.properties)
    if written is not None and _release(written) > _release(version):
        why = f"{named}: kafka-topology {written} wrote this resource into the state, and this plugin is {version}."
        fix = f"Nothing was changed. Install kafka-topology {written} or newer, and run this again."
        raise OperationError(Failure(FailureKind.REFUSED, f"{why} {fix}"))
    return replace(old, inputs=_without(old.inputs), properties=_without(old.properties))


def marked(state: State, version: str = __version__) -> State:
    return replace(state, properties={**state.properties, WRITTEN_BY: version})


def marked_as_before(state: State, old: Old) -> State:
    """For a look at the cluster: a refresh shows no change of versions. An import has no state yet, and is marked."""
    if not old.properties:
        return marked(state)
    written = _written_by(old.properties)
    return state if written is None else marked(state, written)


def _written_by(properties: Properties) -> str | None:
    written = reveal(properties.get(WRITTEN_BY))
    return written if isinstance(written, str) else None


def _without(properties: Properties) -> Properties:
    return {name: value for name, value in properties.items() if name != WRITTEN_BY}


def _release(version: str) -> tuple[int, ...]:
    """Major and minor number; what is no version is older than every other."""
    parts = version.split("+", maxsplit=1)[0].split("-", maxsplit=1)[0].split(".")[:2]
    return tuple(map(int, parts)) if all(part.isdecimal() for part in parts) else ()
