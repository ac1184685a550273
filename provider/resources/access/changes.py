"""Which access rules come and go between two lists of them, as the paths that the engine shows."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

from .changes import ChangeKind, PropertyChange, change_between
from .properties import has_unknown

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from .properties import Value

_Key: TypeAlias = tuple[str, ...]
# The index of the rule in its list, and its operations.
_Place: TypeAlias = tuple[int, list[str]]


def rule_changes(old: Value, new: Value) -> Iterator[PropertyChange]:
    """A rule that comes or goes as a whole is one change; within a rule, each operation is one.

    What goes has its place in the old list, what comes in the new one. Where both fall on one place,
    the engine is told of an update there, for a path can have one change only.
    """
    if has_unknown(new) or not isinstance(new, list) or not isinstance(old, list):
        yield from change_between("rules", old, new)
        return
    changes: dict[str, ChangeKind] = {}
    for path, kind in _changes(_by_key(old), _by_key(new)):
        changes[path] = kind if changes.get(path, kind) is kind else ChangeKind.UPDATE
    for path in tuple(changes):
        rule, dot, _ = path.partition(".")
        if dot and rule in changes:
            del changes[path]
            changes[rule] = ChangeKind.UPDATE
    yield from (PropertyChange(path, kind) for path, kind in sorted(changes.items()))


def _changes(old: Mapping[_Key, _Place], new: Mapping[_Key, _Place]) -> Iterator[tuple[str, ChangeKind]]:
    for key, (index, operations) in old.items():
        if key not in new:
            yield f"rules[{index}]", ChangeKind.DELETE
            continue
        kept = new[key][1]
        yield from (
            (f"rules[{index}].operations[{at}]", ChangeKind.DELETE) for at, o in enumerate(operations) if o not in kept
        )
    for key, (index, operations) in new.items():
        if key not in old:
            yield f"rules[{index}]", ChangeKind.ADD
            continue
        had = old[key][1]
        yield from (
            (f"rules[{index}].operations[{at}]", ChangeKind.ADD) for at, o in enumerate(operations) if o not in had
        )


def _by_key(rules: list[Value]) -> dict[_Key, _Place]:
    places: dict[_Key, _Place] = {}
    for index, rule in enumerate(rules):
        if isinstance(rule, dict):
            operations = rule.get("operations")
            key = tuple(str(rule.get(name)) for name in ("resource", "name", "pattern", "permission", "host"))
            places[key] = (index, [str(o) for o in operations] if isinstance(operations, list) else [])
    return places
