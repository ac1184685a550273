"""The ownership in the provider's config: prefixes by section, and the grants outside them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kafka_topology.topology.kafka.acls import OPERATIONS
from kafka_topology.topology.model.grants import SECTIONS, Grants

from ..plugin.properties import UNKNOWN
from ..resources.changes import CheckFailure
from ..resources.input_checks import wrong_map
from .settings import Owned

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ..plugin.properties import Value

_OWNED: Final = ("topics", "groups", "principals")
_GRANTS: Final = tuple(SECTIONS.values())


def wrong_ownership(value: Value) -> Iterator[CheckFailure]:
    expected = f"give a map with lists of prefixes: {', '.join(_OWNED)}, and grants."
    yield from wrong_map("ownership", value, (*_OWNED, "grants"), expected)
    if isinstance(value, dict):
        for name in _OWNED:
            yield from _wrong_prefixes(f"ownership.{name}", value.get(name))
        yield from _wrong_grants(value.get("grants"))


def _wrong_grants(value: Value) -> Iterator[CheckFailure]:
    yield from wrong_map("ownership.grants", value, _GRANTS, f"give a map with lists: {', '.join(_GRANTS)}.")
    if not isinstance(value, dict):
        return
    for name in _GRANTS:
        path = f"ownership.grants.{name}"
        yield from _wrong_prefixes(path, value.get(name))
        for item in _texts(value.get(name)) or ():
            if not item:
                yield CheckFailure(path, "an empty prefix would grant everything: name a prefix, or '*'.")
            elif name == "cluster" and item not in OPERATIONS:
                yield CheckFailure(path, f"{item!r} is not one of {', '.join(OPERATIONS)}.")


def _wrong_prefixes(path: str, value: Value) -> Iterator[CheckFailure]:
    is_list = isinstance(value, list) and all(isinstance(item, str) or item is UNKNOWN for item in value)
    if value is not None and value is not UNKNOWN and not is_list:
        yield CheckFailure(path, f"{value!r} is not a list of text.")


def owned_by(value: Value) -> Owned:
    """The ownership in a value that `wrong_ownership` accepts."""
    if not isinstance(value, dict):
        return Owned()
    granted = value.get("grants")
    sections = (_texts(granted.get(name)) or () for name in _GRANTS) if isinstance(granted, dict) else ()
    topics, groups, principals = (_texts(value.get(name)) for name in _OWNED)
    return Owned(topics, groups, principals, Grants(*sections))


def _texts(value: Value) -> tuple[str, ...] | None:
    return tuple(map(str, value)) if isinstance(value, list) else None
