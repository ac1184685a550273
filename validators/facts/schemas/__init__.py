"""Whether records written with one schema can be read with another one, in both directions and with every reason."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from . import avro, avro_files, json_schema, protobuf
from .reasons import Note, NotJudged, Reason

__all__ = ["Compared", "UnreadableSchema", "compare_schemas", "parse_schema", "undefined_types"]

Found = Reason | NotJudged | Note
Reasons = Callable[[Any, Any], Iterator[Found]]
_KINDS: dict[str, tuple[str, Callable[[str], Any], Reasons]] = {
    "json": ("JSON Schema", json.loads, json_schema.reasons),
    "avro": ("Avro schema", json.loads, avro.reasons),
    "protobuf": ("Protocol Buffers", protobuf.parse, protobuf.reasons),
}


@dataclass(frozen=True, slots=True)
class Compared:
    """Why existing records do not fit the new schema, and why readers with the old one fail on new records.

    `open_records` and `open_readers` are reasons that need a record with a field that its schema does not describe but
    allows. `unjudged` says what could not be compared. Nothing is known about that. `notes` break nothing
    by themselves.
    """

    old_records: tuple[str, ...] = ()
    old_readers: tuple[str, ...] = ()
    unjudged: tuple[str, ...] = ()
    open_records: tuple[str, ...] = ()
    open_readers: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


class UnreadableSchema(ValueError):
    """Says what is wrong with the text of a schema."""


def parse_schema(schema_format: str, text: str) -> Any:
    """The schema as data. Raises `UnreadableSchema`; a format whose schemas are not compared has no data."""
    kind = _KINDS.get(schema_format)
    if kind is None:
        return None
    title, parse, _ = kind
    try:
        schema = parse(text)
    except json.JSONDecodeError as error:
        raise UnreadableSchema(f"not valid JSON: {error.msg} at line {error.lineno}, column {error.colno}") from None
    except RecursionError:
        raise UnreadableSchema("nested too deeply") from None
    except ValueError as error:
        raise UnreadableSchema(f"no {title}: {error}") from None
    if schema_format == "json" and not isinstance(schema, dict | bool):
        raise UnreadableSchema("no JSON Schema: expected an object, true or false")
    if schema_format == "avro" and not isinstance(schema, dict | list | str):
        raise UnreadableSchema("no Avro schema: expected an object, a list or the name of a type")
    if schema_format == "avro":
        _check_defaults(schema)
    return schema


def _check_defaults(schema: Any) -> None:
    wrong = None
    with suppress(AttributeError, KeyError, TypeError):  # the comparison says that a keyword has an impossible value
        try:
            wrong = next(avro_files.wrong_defaults(schema), None)
        except RecursionError:
            raise UnreadableSchema("nested too deeply") from None
    if wrong is not None:
        raise UnreadableSchema(f"no valid Avro schema: {wrong}")


def undefined_types(schema_format: str, schema: Any) -> tuple[str, ...]:
    """The types that a schema uses and that neither it nor a file that it imports can define."""
    with suppress(AttributeError, KeyError, TypeError, RecursionError):
        return avro_files.undefined_types(schema) if schema_format == "avro" else ()
    return ()


def compare_schemas(schema_format: str, old: str, new: str) -> Compared:
    """`schema_format` is that of the value, or the type of the key."""
    if old == new:
        return Compared()
    if schema_format not in _KINDS:
        return Compared(unjudged=(f"schemas of {schema_format}",))
    before, after = (_parsed(schema_format, text) for text in (old, new))
    unread = [
        f"the {which} schema: it is {schema}"
        for which, schema in (("old", before), ("new", after))
        if isinstance(schema, UnreadableSchema)
    ]
    if unread:
        return Compared(unjudged=tuple(unread))
    reasons = _KINDS[schema_format][2]
    try:
        backward, forward = list(reasons(before, after)), list(reasons(after, before))
        if schema_format == "protobuf":
            backward.extend(protobuf.only_records(before, after))
        known = undefined_types(schema_format, before)
        backward.extend(
            NotJudged(f"the type {name}, which the new schema does not define")
            for name in undefined_types(schema_format, after)
            if name not in known
        )
    except (ValueError, AttributeError, KeyError, TypeError, RecursionError):
        return Compared(unjudged=("one of the schemas: a keyword has a value that it cannot have",))
    records = [each for each in backward if isinstance(each, Reason)]
    readers = [each for each in forward if isinstance(each, Reason)]
    return Compared(
        _words(each.about_old_records for each in records if not each.is_open),
        _words(each.about_old_readers for each in readers if not each.is_open),
        _words(each.text for each in (*backward, *forward) if isinstance(each, NotJudged)),
        _words(each.about_old_records for each in records if each.is_open),
        _words(each.about_old_readers for each in readers if each.is_open),
        _words(each.text for each in (*backward, *forward) if isinstance(each, Note)),
    )


def _parsed(schema_format: str, text: str) -> Any:
    try:
        return parse_schema(schema_format, text)
    except UnreadableSchema as error:
        return error


def _words(sentences: Iterator[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(sentences))
