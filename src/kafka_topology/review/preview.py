"""Compares a review with `pulumi preview --json`: changes that only Pulumi would make, or only the files."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol

from kafka_topology.documents import PREVIEW, mistake

from .changes import Change
from .fields import shown
from .registry import change_kinds

_SECRET = "4dabf18193072939515e22adb298388d"  # noqa: S105 - how Pulumi marks a secret value
_CHANGING = ("create", "update", "delete", "replace", "create-replacement", "delete-replaced", "import")
# What the provider knows and a topology does not, or the other way round.
_NOT_COMPARED = ("deletion", "protect", "__defaults")


class BadPreview(Exception):
    """The file is not what `pulumi preview --json` writes; the message says why."""


class PreviewedKind(Protocol):
    """How a review calls resources of a kind of Pulumi, and which of its fields a stack applies."""

    @property
    def word(self) -> str: ...

    @property
    def fields(self) -> tuple[str, ...]:
        """The beginnings of the paths that are applied; `""` for all of them."""

    @property
    def by_field(self) -> bool:
        """Whether both sides write fields alike. Else resources are compared as a whole."""

    @property
    def written(self) -> Mapping[str, str]:
        """Inputs that files call something else."""

    @property
    def named(self) -> Callable[[Mapping[str, Any]], object]:
        """Finds the name of a resource in its inputs."""


@dataclass(frozen=True, slots=True)
class Step:
    """One thing that Pulumi would do; `path` is empty when it is about the whole resource."""

    kind: str
    name: str
    op: str
    path: str = ""
    before: str | None = None
    after: str | None = None


@dataclass(frozen=True, slots=True)
class Drift:
    """`only` says who would change it: Pulumi alone, or the files alone."""

    only: Literal["pulumi", "files"]
    kind: str
    name: str
    text: str


@dataclass(frozen=True, slots=True)
class Preview:
    """`kinds` are those that it may have steps of, by the word of the review. `unread` says why nothing is known."""

    steps: tuple[Step, ...]
    errors: tuple[str, ...] = ()
    kinds: Mapping[str, PreviewedKind] = field(default_factory=dict)
    unread: str = ""


def read_preview(text: str, kinds: Mapping[str, PreviewedKind]) -> Preview:
    """`kinds` by Pulumi's type, such as `kafka-topology:index:Topic`. Steps of other types are left out."""
    try:
        held = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise BadPreview(f"it is not JSON: {error}") from None
    if not isinstance(held, dict) or not ("steps" in held or "diagnostics" in held):
        raise BadPreview("it has neither steps nor diagnostics; write it with `pulumi preview --json`")
    wrong = mistake(held, PREVIEW)
    if wrong is not None:
        raise BadPreview(f"its steps are not those of `pulumi preview --json`: {wrong}")
    return _read(held, kinds)


def _read(held: Mapping[str, Any], kinds: Mapping[str, PreviewedKind]) -> Preview:
    steps: list[Step] = []
    for step in held.get("steps") or ():
        state = step.get("newState") or step.get("oldState") or {}
        kind = kinds.get(str(state.get("type", "")))
        if kind is not None:
            steps.extend(_steps(step, kind))
    diagnostics = held.get("diagnostics") or ()
    errors = [" ".join(str(each.get("message", "")).split()) for each in diagnostics if each.get("severity") == "error"]
    return Preview(tuple(steps), tuple(errors), {kind.word: kind for kind in kinds.values()})


def drift(changes: Iterable[Change], preview: Preview) -> tuple[Drift, ...]:
    """Every difference between what the files change and what Pulumi would do."""
    kinds = preview.kinds
    planned = {_key(kinds, step): step for step in preview.steps}
    declared = {_key(kinds, change): change for change in changes if _is_applied(kinds, change)}
    # A resource that comes or goes does so with all its fields.
    planned_whole = {key[:2] for key in planned if not key[2]}
    declared_whole = {(each.kind, name) for each in declared.values() if not each.path for name in each.names}
    declared_whole |= {key[:2] for key in declared if not key[2]}
    found = [
        Drift("pulumi", step.kind, step.name, _pulumi_text(step))
        for key, step in planned.items()
        if key not in declared and key[:2] not in declared_whole
    ]
    if not preview.errors:
        found += [
            Drift("files", change.kind, change.name, f"{change.what}: Pulumi would not change it")
            for key, change in declared.items()
            if key not in planned and key[:2] not in planned_whole
        ]
    return tuple(found)


def _key(kinds: Mapping[str, PreviewedKind], one: Step | Change) -> tuple[str, str, str]:
    return (one.kind, one.name, one.path if kinds[one.kind].by_field else "")


def _is_applied(kinds: Mapping[str, PreviewedKind], change: Change) -> bool:
    """Whether a stack applies it. Much of a topology describes, and much is for clients to set."""
    kind = kinds.get(change.kind)
    return kind is not None and (not change.path or change.path.startswith(kind.fields))


def _pulumi_text(step: Step) -> str:
    # No subject looks for changes of such a kind in the files, so nobody knows whether they contain it.
    is_unjudged = step.kind not in change_kinds()
    manually = "no review classifies this kind; check manually whether the files change it"
    if step.path:
        before, after = step.before or "not set", step.after or "not set"
        why = manually if is_unjudged else "this change does not contain it, so the cluster or the state differs"
        return f"{step.path}: {before} → {after}: {why}"
    does = {"create": "create", "delete": "delete", "import": "import"}.get(step.op, "replace")
    why = manually if is_unjudged else "this change does not contain that, so the cluster or the state differs"
    return f"Pulumi would {does} it: {why}"


def _steps(step: Mapping[str, Any], kind: PreviewedKind) -> Iterator[Step]:
    op = str(step.get("op", ""))
    if op not in _CHANGING:
        return
    new, old = step.get("newState") or {}, step.get("oldState") or {}
    name = _name(new or old, kind)
    if op != "update":
        yield Step(kind.word, name, op)
        return
    before, after = _flat(old.get("inputs") or {}), _flat(new.get("inputs") or {})
    told = step.get("detailedDiff") or {}
    for path in dict.fromkeys((*before, *after)):
        if before.get(path) != after.get(path) and not path.startswith(_NOT_COMPARED):
            called = kind.written.get(path, path)
            yield Step(kind.word, name, op, called, _value(before.get(path), path), _value(after.get(path), path))
    for path in told:
        plain = _plain_path(path)
        # Drift that a refresh found: old and new inputs are the same.
        if before.get(plain) == after.get(plain) and not plain.startswith(_NOT_COMPARED) and plain in after:
            live = _flat(old.get("outputs") or {}).get(plain)
            yield Step(kind.word, name, op, plain, _value(live, plain), _value(after.get(plain), plain))


def _plain_path(path: str) -> str:
    """`config["retention.ms"]` as `config.retention.ms`."""
    return path.replace('["', ".").replace('"]', "")


def _name(state: Mapping[str, Any], kind: PreviewedKind) -> str:
    """As the review calls it."""
    name = kind.named(state.get("inputs") or state.get("outputs") or {})
    return name if isinstance(name, str) else str(state.get("urn", "")).rsplit("::", 1)[-1]


def _flat(inputs: Mapping[str, Any], path: str = "") -> dict[str, Any]:
    found: dict[str, Any] = {}
    for name, value in inputs.items():
        here = f"{path}.{name}" if path else name
        if isinstance(value, Mapping) and _SECRET not in value:
            found |= _flat(value, here)
        else:
            found[here] = value
    return found


def _value(value: Any, path: str) -> str | None:
    if isinstance(value, Mapping) and _SECRET in value:
        return "[secret]"
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    return shown(value, path)
