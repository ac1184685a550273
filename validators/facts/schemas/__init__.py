"""Whether records written with one schema can be read with another one, in both directions and with every reason."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from . import avro, json_schema, protobuf
from .reasons import NotJudged, Reason

__all__ = ["Compared", "compare_schemas"]

Reasons = Callable[[Any, Any], Iterator[Reason | NotJudged]]
_KINDS: dict[str, tuple[Callable[[str], Any], Reasons]] = {
    "json": (json.loads, json_schema.reasons),
    "avro": (json.loads, avro.reasons),
    "protobuf": (protobuf.parse, protobuf.reasons),
}


@dataclass(frozen=True, slots=True)
class Compared:
    """Why existing records do not fit the new schema, and why readers with the old one fail on new records.

    `unjudged` says what could not be compared. Nothing is known about that.
    """

    old_records: tuple[str, ...] = ()
    old_readers: tuple[str, ...] = ()
    unjudged: tuple[str, ...] = ()


def compare_schemas(schema_format: str, old: str, new: str) -> Compared:
    """`schema_format` is that of the value, or the type of the key."""
    if old == new or schema_format not in _KINDS:
        return Compared()
    parse, reasons = _KINDS[schema_format]
    try:
        before, after = parse(old), parse(new)
        backward, forward = list(reasons(before, after)), list(reasons(after, before))
    except (ValueError, AttributeError, KeyError, TypeError, RecursionError):
        return Compared(unjudged=("one of the schemas cannot be read",))
    return Compared(
        _words(each.about_old_records for each in backward if isinstance(each, Reason)),
        _words(each.about_old_readers for each in forward if isinstance(each, Reason)),
        _words(each.text for each in (*backward, *forward) if isinstance(each, NotJudged)),
    )


def _words(sentences: Iterator[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(sentences))
