"""Reads the stack's state that a program sends to the provider, because the engine does not send it in a preview.

A preview sends no deletions, and a replacement looks like a creation. The program can read the state of its own stack,
so it sends the resources in it and marks those that it no longer declares.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from .properties import reveal

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .properties import Properties

PREVIEW_STATE: Final = "kafka-topology:index:previewState"


def sent_state(arguments: Properties) -> Iterator[tuple[str, str, bool, Properties]]:
    """For each resource in the state: type, URN, whether the program no longer declares it, and properties."""
    resources = reveal(arguments.get("resources"))
    for resource in resources if isinstance(resources, list) else ():
        if isinstance(resource, dict):
            properties = resource.get("properties")
            yield (
                str(resource.get("type")),
                str(resource.get("urn")),
                resource.get("removed") is True,
                properties if isinstance(properties, dict) else {},
            )
