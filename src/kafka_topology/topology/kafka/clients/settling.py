"""Changes settings that a client refuses together, so that it starts, and says what it changed and why."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from ..catalogue import VERSIONS, catalogue
from .libraries import Library
from .libraries.library import Own
from .libraries.relations import Relation, Side, Values
from .model import Property

# A change can break another relation: enough rounds for the longest chain that a library has.
_ROUNDS = 8


def values_of(library: Library, side: Side, given: Mapping[str, str]) -> Values:
    """The settings, by Java's names, with the library's defaults."""
    keys = catalogue(VERSIONS[-1]).scope(side)

    def default(name: str) -> str | None:
        own = library.adapted(side, name, given)
        if own is None and library.has_java_names and name in keys:
            return keys[name].default
        return own

    return Values(given, default)


def settle(
    library: Library, side: Side, found: dict[str, Property], notes: list[str], called: Mapping[str, str] | None = None
) -> None:
    """Changes `found`, by the library's names, until it takes them; what it still refuses becomes a note.

    `called` has the names that the file uses, where they differ.
    """
    for _ in range(_ROUNDS):
        values = values_of(library, side, _in_java(library, side, found))
        broken = [relation for relation in library.relations if relation.side == side and relation.is_broken(values)]
        if not broken or not _changed(library, broken[0], values, found, notes, called=called or {}):
            break
    notes += [
        f"{library.title} does not start with these settings: it expects {_expected(library, relation)}"
        for relation in broken
    ]


def _in_java(library: Library, side: Side, found: Mapping[str, Property]) -> dict[str, str]:
    known = library.settings(side)
    given = {}
    for name, item in found.items():
        own = known.get(name)
        given[(own.java if own is not None else None) or name] = item.value if own is None else own.to_java(item.value)
    return given


def _changed(
    library: Library,
    relation: Relation,
    values: Values,
    found: dict[str, Property],
    notes: list[str],
    *,
    called: Mapping[str, str],
) -> bool:
    """Whether a change was possible."""
    why = f"{library.title} does not start otherwise: it expects {_expected(library, relation)}"
    for java, value in relation.moves(values):
        name = library.own_name(relation.side, java) or java
        own = library.settings(relation.side).get(name)
        written = _written(own, value)
        if value is not None and written is None:
            continue
        old = found.get(name)
        if written is None:
            notes.append(f"{called.get(name, name)}={found.pop(name).value}: left out; {why}")
        elif old is None:
            found[name] = Property(name, written, why)
        else:
            found[name] = replace(old, value=written, reason=f"{old.reason}; {written} instead of {old.value}; {why}")
        return True
    return False


def _expected(library: Library, relation: Relation) -> str:
    return relation.expected(lambda java: library.own_name(relation.side, java) or java)


def _written(own: Own | None, value: str | None) -> str | None:
    """The value as the library writes it; None if it refuses it."""
    if own is None or value is None:
        return value
    written = own.from_java(value)
    return None if written is None or (own.key is not None and own.key.problem(written) is not None) else written
