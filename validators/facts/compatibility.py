"""What a topic promises about changes of its schemas, and whether a change keeps the promise."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

from kafka_topology.topology.model.declared import Topic

from .changes import Changes
from .schemas import Compared, compare_schemas

Part = Literal["key", "value"]
_BACKWARD = ("backward", "full")
_FORWARD = ("forward", "full")


@dataclass(frozen=True, slots=True)
class SchemaChange:
    """How a changed schema compares with the earlier one, and with still earlier ones if the promise is transitive.

    `broken` are the reasons that the topic's promise forbids, `tolerated` the others. `promise` is what it declares.
    """

    promise: str | None
    broken: tuple[str, ...] = ()
    tolerated: tuple[str, ...] = ()
    unjudged: tuple[str, ...] = ()
    tolerates_records: bool = False  # whether existing records may not fit
    unread_history: bool = False


def schema_change(changes: Changes, old: Topic, new: Topic, part: Part) -> SchemaChange | None:
    """None if the topic has no schema in both versions, or the same one."""
    was, now = getattr(old, part), getattr(new, part)
    if was is None or now is None or was.schema is None or now.schema is None:
        return None
    before, after = changes.before.schemas.get(was.schema), changes.after.schemas.get(now.schema)
    if before is None or after is None or before == after:
        return None
    written_as = now.type if part == "key" else now.format
    promise = new.compatibility if old.compatibility is None else old.compatibility
    found = _judged(compare_schemas(written_as, before, after), promise)
    if promise is None or not promise.endswith("-transitive"):
        return found
    history = changes.schema_history(was.schema)
    if history is None:
        return replace(found, unread_history=True)
    for name, text in history:
        earlier = _judged(compare_schemas(written_as, text, after), promise)
        broken = tuple(f"{reason} (since {name})" for reason in earlier.broken if reason not in found.broken)
        found = replace(found, broken=(*found.broken, *broken), unjudged=(*found.unjudged, *earlier.unjudged))
    return replace(found, unjudged=tuple(dict.fromkeys(found.unjudged)))


def _judged(compared: Compared, promise: str | None) -> SchemaChange:
    """Without a promise, existing records must fit; readers may have to be upgraded first."""
    level = (promise or "backward").removesuffix("-transitive")
    records = tuple(f"existing records: {reason}" for reason in compared.old_records)
    readers = tuple(f"readers with the old schema: {reason}" for reason in compared.old_readers)
    broken = (*(records if level in _BACKWARD else ()), *(readers if level in _FORWARD else ()))
    tolerated = tuple(reason for reason in (*records, *readers) if reason not in broken)
    tolerates_records = bool(records) and level not in _BACKWARD
    return SchemaChange(promise, broken, tolerated, compared.unjudged, tolerates_records)
