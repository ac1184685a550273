"""Finds the rules that are added or removed between two lists, as paths that the engine shows."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

from kafka_topology.provider.plugin.properties import has_unknown

from ..changes import ChangeKind, PropertyChange, change_between

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from kafka_topology.provider.plugin.properties import Value

_Key: TypeAlias = tuple[str, ...]
# The index of the rule in its list, and its operations.
_Place: TypeAlias = tuple[int, list[str]]


def rule_changes(old: Value, new: Value) -> Iterator[PropertyChange]:
    """A whole rule that is added or removed is one change; within a rule, each operation is one change.

    Paths of removed rules point into the old list, paths of added ones into the new list. If both paths are equal, the
    change is an update, because a path can have only one change.
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
    yield from _only_in(old, new, ChangeKind.DELETE)
    yield from _only_in(new, old, ChangeKind.ADD)


def _only_in(
    here: Mapping[_Key, _Place], there: Mapping[_Key, _Place], kind: ChangeKind
) -> Iterator[tuple[str, ChangeKind]]:
    for key, (index, operations) in here.items():
        if key not in there:
            yield f"rules[{index}]", kind
            continue
        others = there[key][1]
        yield from ((f"rules[{index}].operations[{at}]", kind) for at, o in enumerate(operations) if o not in others)


def _by_key(rules: list[Value]) -> dict[_Key, _Place]:
    places: dict[_Key, _Place] = {}
    for index, rule in enumerate(rules):
        if isinstance(rule, dict):
            operations = rule.get("operations")
            key = tuple(str(rule.get(name)) for name in ("resource", "name", "pattern", "permission", "host"))
            places[key] = (index, [str(o) for o in operations] if isinstance(operations, list) else [])
    return places
