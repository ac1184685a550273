"""What a topic promises about changes of its schemas, and whether a change keeps the promise."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

from kafka_topology.topology.model.declared import Key, Topic, Value

from .changes import Changes
from .schemas import Compared, compare_schemas

Part = Literal["key", "value"]
_BACKWARD = ("backward", "full")
_FORWARD = ("forward", "full")


@dataclass(frozen=True, slots=True)
class SchemaChange:
    """How a changed schema compares with the earlier one, and with still earlier ones if the promise is transitive.

    `broken` are the reasons that the topic's promise forbids, `tolerated` the others. `promise` is what it declares.
    `notes` break nothing by themselves.
    """

    promise: str | None
    broken: tuple[str, ...] = ()
    tolerated: tuple[str, ...] = ()
    unjudged: tuple[str, ...] = ()
    tolerates_records: bool = False  # whether existing records may not fit
    is_only_open: bool = False  # whether what is tolerated needs records with fields that no schema describes
    unread_history: bool = False
    notes: tuple[str, ...] = ()


def schema_change(changes: Changes, old: Topic, new: Topic, part: Part) -> SchemaChange | None:
    """None if the topic has no schema in both versions, the same one, or another format: then nothing is comparable."""
    was, now = getattr(old, part), getattr(new, part)
    if was is None or now is None or was.schema is None or now.schema is None:
        return None
    if written_as(was) != written_as(now):
        return None
    before, after = changes.before.schemas.get(was.schema), changes.after.schemas.get(now.schema)
    if before is None or after is None or before == after:
        return None
    kind = written_as(now)
    promise = new.compatibility if old.compatibility is None else old.compatibility
    found = _judged(compare_schemas(kind, before, after), promise)
    if promise is None or not promise.endswith("-transitive"):
        return found
    history = changes.schema_history(was.schema)
    if history is None:
        return replace(found, unread_history=True)
    for name, text in history:
        earlier = _judged(compare_schemas(kind, text, after), promise)
        broken = tuple(f"{reason} (since {name})" for reason in earlier.broken if reason not in found.broken)
        notes = tuple(f"{note} (since {name})" for note in earlier.notes if note not in found.notes)
        found = replace(
            found,
            broken=(*found.broken, *broken),
            unjudged=(*found.unjudged, *earlier.unjudged),
            notes=(*found.notes, *notes),
        )
    return replace(found, unjudged=tuple(dict.fromkeys(found.unjudged)))


def written_as(declared: Key | Value) -> str:
    return declared.type if isinstance(declared, Key) else declared.format


def _judged(compared: Compared, promise: str | None) -> SchemaChange:
    """Without a promise, existing records must fit as far as their schema describes them; readers may have to follow.

    A promise also covers what the schema allows without describing it, as a schema registry judges it.
    """
    level = (promise or "backward").removesuffix("-transitive")
    records, open_records = (
        tuple(f"existing records: {reason}" for reason in held)
        for held in (compared.old_records, compared.open_records)
    )
    readers, open_readers = (
        tuple(f"readers with the old schema: {reason}" for reason in held)
        for held in (compared.old_readers, compared.open_readers)
    )
    if promise is not None:
        records, readers, open_records, open_readers = (*records, *open_records), (*readers, *open_readers), (), ()
    broken = (*(records if level in _BACKWARD else ()), *(readers if level in _FORWARD else ()))
    described = tuple(reason for reason in (*records, *readers) if reason not in broken)
    tolerated = (*described, *open_records, *open_readers)
    tolerates_records = bool(records) and level not in _BACKWARD
    return SchemaChange(
        promise,
        broken,
        tolerated,
        compared.unjudged,
        tolerates_records,
        is_only_open=not described and bool(tolerated),
        notes=compared.notes,
    )
