"""Joins a review with `pulumi preview --json`: what Pulumi would change that the files do not, and the other way."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from .changes import Change
from .fields import shown

_PACKAGE = "kafka-topology:"
_KINDS = {"Topic": "topic", "Access": "access", "ConsumerGroup": "group", "User": "user", "Quota": "quota"}
# The fields of each kind that a stack applies.
_APPLIED: dict[str, tuple[str, ...]] = {
    "topic": ("partitions", "replication", "config.", "key.type"),
    "group": ("topics", "assign", "start", "reset", "groupConfig", "maxLag"),
    "user": ("",),
    "quota": ("",),
    "access": ("",),
}
_SECRET = "4dabf18193072939515e22adb298388d"  # noqa: S105 - how Pulumi marks a secret value
_CHANGING = ("create", "update", "delete", "replace", "create-replacement", "delete-replaced", "import")
# What the provider knows and a topology does not, or the other way round.
_QUOTA = (("user", "user"), ("clientId", "client"))
_NOT_COMPARED = ("deletion", "protect", "__defaults")


class BadPreview(Exception):
    """The file is not what `pulumi preview --json` writes; the message says why."""


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
    steps: tuple[Step, ...]
    errors: tuple[str, ...] = ()


def read_preview(text: str) -> Preview:
    try:
        held = json.loads(text)
    except ValueError as error:
        raise BadPreview(f"it is not JSON: {error}") from None
    if not isinstance(held, dict) or not ("steps" in held or "diagnostics" in held):
        raise BadPreview("it has neither steps nor diagnostics; write it with `pulumi preview --json`")
    try:
        return _read(held)
    except (AttributeError, TypeError):
        raise BadPreview("its steps are not those of `pulumi preview --json`") from None


def _read(held: Mapping[str, Any]) -> Preview:
    steps: list[Step] = []
    for step in held.get("steps") or ():
        kind = _kind(step)
        if kind is not None:
            steps.extend(_steps(step, kind))
    diagnostics = held.get("diagnostics") or ()
    errors = [" ".join(str(each.get("message", "")).split()) for each in diagnostics if each.get("severity") == "error"]
    return Preview(tuple(steps), tuple(errors))


def drift(changes: Iterable[Change], preview: Preview) -> tuple[Drift, ...]:
    """Every difference between what the files change and what Pulumi would do."""
    planned = {_key(step.kind, step.name, step.path): step for step in preview.steps}
    declared = {_key(change.kind, change.name, change.path): change for change in changes if _is_applied(change)}
    # A resource that comes or goes does so with all its fields.
    planned_whole = {key[:2] for key in planned if not key[2]}
    declared_whole = {key[:2] for key in declared if not key[2]}
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


def _key(kind: str, name: str, path: str) -> tuple[str, str, str]:
    """What is compared: fields of a topic, and every other resource as one, because it is written otherwise there."""
    return (kind, name, path if kind == "topic" else "")


def _is_applied(change: Change) -> bool:
    """Whether a stack applies it. Much of a topology describes, and much is for clients to set."""
    if not change.path:
        return change.kind in _KINDS.values()
    fields = _APPLIED.get(change.kind)
    return fields is not None and change.path.startswith(fields)


def _pulumi_text(step: Step) -> str:
    if step.path:
        before, after = step.before or "not set", step.after or "not set"
        return f"{step.path}: {before} → {after}: this change does not contain it, so the cluster or the state differs"
    does = {"create": "create", "delete": "delete", "import": "import"}.get(step.op, "replace")
    return f"Pulumi would {does} it: this change does not contain that, so the cluster or the state differs"


def _kind(step: Mapping[str, Any]) -> str | None:
    state = step.get("newState") or step.get("oldState") or {}
    kind = str(state.get("type", ""))
    return _KINDS.get(kind.rsplit(":", 1)[-1]) if kind.startswith(_PACKAGE) else None


def _steps(step: Mapping[str, Any], kind: str) -> Iterator[Step]:
    op = str(step.get("op", ""))
    if op not in _CHANGING:
        return
    new, old = step.get("newState") or {}, step.get("oldState") or {}
    name = _name(new or old)
    if op != "update":
        yield Step(kind, name, op)
        return
    before, after = _flat(old.get("inputs") or {}), _flat(new.get("inputs") or {})
    told = step.get("detailedDiff") or {}
    for path in dict.fromkeys((*before, *after)):
        if before.get(path) != after.get(path) and not path.startswith(_NOT_COMPARED):
            yield Step(kind, name, op, _written(path), _value(before.get(path), path), _value(after.get(path), path))
    for path in told:
        plain = _plain_path(path)
        # What a refresh found on the cluster differs from the inputs on neither side.
        if before.get(plain) == after.get(plain) and not plain.startswith(_NOT_COMPARED) and plain in after:
            live = _flat(old.get("outputs") or {}).get(plain)
            yield Step(kind, name, op, plain, _value(live, plain), _value(after.get(plain), plain))


def _plain_path(path: str) -> str:
    """`config["retention.ms"]` as `config.retention.ms`."""
    return path.replace('["', ".").replace('"]', "")


def _written(path: str) -> str:
    return "key.type" if path == "keyType" else path


def _name(state: Mapping[str, Any]) -> str:
    """As the review calls it."""
    inputs = state.get("inputs") or state.get("outputs") or {}
    if str(state.get("type", "")).endswith(":Quota"):
        parts = [f"{word} {inputs[field]}" for field, word in _QUOTA if isinstance(inputs.get(field), str)]
        return " and ".join(parts) or "default"
    for field in ("name", "group", "principal", "user"):
        if isinstance(inputs.get(field), str):
            return str(inputs[field])
    return str(state.get("urn", "")).rsplit("::", 1)[-1]


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
