"""Changes of declared resources and values, from a verdict: what the subjects share."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, TypeVar

from ..topology.model.declared import Declared
from ..topology.model.words import named
from .changes import Action, Change, Verdict, breaking, care, safe
from .fields import Path, dotted, shown

T = TypeVar("T")


def differing(before: Mapping[str, T], after: Mapping[str, T]) -> Iterator[tuple[str, T | None, T | None]]:
    """What two versions hold under a name, where they differ; None where a version has nothing."""
    for name in dict.fromkeys((*before, *after)):
        was, now = before.get(name), after.get(name)
        if was != now:
            yield name, was, now


def action_of(was: object, now: object) -> Action:
    if was is None:
        return "add"
    return "remove" if now is None else "change"


def whole_change(subject: tuple[str, str], action: Action, verdict: Verdict, declared: Declared) -> Change:
    """A resource that comes or goes."""
    kind, name = subject
    gone = action == "remove"
    return Change(
        kind=kind,
        name=name,
        action=action,
        location=None if gone else declared.location,
        was_at=declared.location if gone else None,
        risk=verdict.risk,
        reason=verdict.reason,
        effects=verdict.effects,
    )


def field_change(
    subject: tuple[str, str], path: Path, values: tuple[Any, Any], verdict: Verdict, declared: tuple[Any, Any]
) -> Change:
    (kind, name), (was, now), (old, new) = subject, values, declared
    return Change(
        kind=kind,
        name=name,
        action="change",
        path=dotted(path),
        before=shown(was, path[-1]),
        after=shown(now, path[-1]),
        location=(new.place(*path) if now is not None else new.place()).location,
        was_at=old.location,
        risk=verdict.risk,
        reason=verdict.reason,
        effects=verdict.effects,
    )


def other_type(name: str, was: str) -> Verdict:
    """For a new group whose id belonged to a group of another type."""
    return breaking(
        f"the id belongs to {was}, and Kafka refuses members of another type until that group is deleted: stop its"
        f" members, delete it, or choose another id than {name}"
    )


def principal_change(old: tuple[str, ...], new: tuple[str, ...]) -> Verdict:
    """For a role that logs in as others; two of them at a time is a rotation of credentials."""
    more = tuple(principal for principal in new if principal not in old)
    less = tuple(principal for principal in old if principal not in new)
    if not (more or less):
        return safe("the same principals in another order")
    if not old or (more and less):
        return care("it must log in as the new principal; check the access changes")
    if not less:
        also = f"it may also log in as {named(more)}"
        return care(f"{also}; remove the old principal after every instance uses the new one")
    return care(f"an instance that still logs in as {named(less)} loses its access")
