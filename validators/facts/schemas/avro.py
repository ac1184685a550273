"""Avro: the writer's schema is resolved against the reader's, as the specification says."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from .reasons import NotJudged, Reason, field

Json = Any  # what json.loads returns
_PROMOTIONS = {
    "int": ("long", "float", "double"),
    "long": ("float", "double"),
    "float": ("double",),
    "string": ("bytes",),
    "bytes": ("string",),
}
PRIMITIVE = ("null", "boolean", "int", "long", "float", "double", "bytes", "string")
NAMED = ("record", "error", "enum", "fixed")
INNER = {"array": "items", "map": "values"}


def reasons(writer: Json, reader: Json) -> Iterator[Reason | NotJudged]:
    return _Resolution(named_types(writer), named_types(reader)).schema(writer, reader, "")


class _Resolution:
    """The named types of both schemas, and the pairs of records that are being compared."""

    def __init__(self, writer: dict[str, Json], reader: dict[str, Json]) -> None:
        self._named = writer, reader
        self._seen: set[tuple[str, str]] = set()

    def schema(self, writer: Json, reader: Json, path: str) -> Iterator[Reason | NotJudged]:
        here = path or "the record"
        writer, reader = (plain(each, named) for each, named in zip((writer, reader), self._named, strict=True))
        if isinstance(writer, list) or isinstance(reader, list):
            yield from self._union(_branches(writer), _branches(reader), here)
            return
        was, now = _type(writer), _type(reader)
        if was is None or now is None:
            if writer != reader:
                yield NotJudged(f"{here}: a type is defined in another file")
        elif was != now:
            if now not in _PROMOTIONS.get(was, ()):
                yield Reason("type", here, was, now)
        else:
            yield from self._same_type(was, writer, reader, path)

    def _same_type(self, kind: str, writer: Json, reader: Json, path: str) -> Iterator[Reason | NotJudged]:
        here = path or "the record"
        was, now = _name(writer), _name(reader)
        if kind in NAMED and was != now and was not in {_short(each) for each in reader.get("aliases", ())}:
            yield Reason("type", here, f"{kind} {was}", f"{kind} {now}")
        if kind in ("record", "error"):
            yield from self._record(writer, reader, path)
        elif kind == "enum":
            gone = [symbol for symbol in writer.get("symbols", ()) if symbol not in reader.get("symbols", ())]
            if gone and "default" not in reader:
                yield Reason("values", here, ", ".join(gone))
        elif kind == "fixed" and writer.get("size") != reader.get("size"):
            yield Reason("size", here, str(writer.get("size")), str(reader.get("size")))
        elif kind in INNER:
            yield from self.schema(writer.get(INNER[kind]), reader.get(INNER[kind]), f"{path}[]")
        logical, other = (each.get("logicalType") if isinstance(each, dict) else None for each in (writer, reader))
        if "decimal" not in (logical, other) and logical and other and logical != other:
            yield Reason("type", here, str(logical), str(other))
        if _decimal(writer) != _decimal(reader):
            yield Reason("type", here, _decimal(writer) or kind, _decimal(reader) or kind)

    def _union(self, writer: list[Json], reader: list[Json], here: str) -> Iterator[Reason | NotJudged]:
        for branch in writer:
            found = [list(self._alone(branch, other)) for other in reader]
            if [] in found:
                continue
            unjudged = [held for held in found if all(isinstance(each, NotJudged) for each in held)]
            if unjudged:
                yield NotJudged(f"{here}: a type of the union is defined in another file")
            else:
                yield Reason("values", here, _type(plain(branch, self._named[0])) or "another type")

    def _alone(self, writer: Json, reader: Json) -> Iterator[Reason | NotJudged]:
        """Compares two branches without remembering them: another branch may fit where this one does not."""
        held = set(self._seen)
        yield from self.schema(writer, reader, "")
        self._seen = held

    def _record(self, writer: Json, reader: Json, path: str) -> Iterator[Reason | NotJudged]:
        pair = (str(writer.get("name", "")), str(reader.get("name", "")))
        if all(pair):
            if pair in self._seen:
                return
            self._seen.add(pair)
        before = {each["name"]: each for each in writer.get("fields", ())}
        for each in reader.get("fields", ()):
            names = (each["name"], *each.get("aliases", ()))
            earlier = next((before[name] for name in names if name in before), None)
            at = field(path, each["name"])
            if earlier is not None:
                yield from self.schema(earlier["type"], each["type"], at)
            elif "default" not in each:
                yield Reason("no default", at)


def _branches(schema: Json) -> list[Json]:
    return schema if isinstance(schema, list) else [schema]


def plain(schema: Json, named: dict[str, Json]) -> Json:
    """The definition that a name stands for, and the type inside `{"type": {…}}`."""
    if isinstance(schema, dict) and isinstance(schema.get("type"), dict | list):
        return plain(schema["type"], named)
    if isinstance(schema, str) and schema not in PRIMITIVE:
        return named.get(schema, named.get(schema.rpartition(".")[2], schema))
    return schema


def _type(schema: Json) -> str | None:
    kind = schema.get("type") if isinstance(schema, dict) else schema
    return kind if kind in (*PRIMITIVE, *NAMED, *INNER) else None


def _name(schema: Json) -> str:
    """Without its namespace, as types are resolved."""
    return _short(schema.get("name", "")) if isinstance(schema, dict) else ""


def _short(name: object) -> str:
    return str(name).rpartition(".")[2]


def _decimal(schema: Json) -> str:
    if not isinstance(schema, dict) or schema.get("logicalType") != "decimal":
        return ""
    return f"decimal({schema.get('precision')}, {schema.get('scale', 0)})"


def named_types(schema: Json) -> dict[str, Json]:
    """Every named type of a schema, by its name without the namespace."""
    if isinstance(schema, list):
        return {name: each for item in schema for name, each in named_types(item).items()}
    if not isinstance(schema, dict):
        return {}
    found = {}
    if schema.get("type") in NAMED and "name" in schema:
        found[str(schema["name"]).rpartition(".")[2]] = schema
    inner = [schema.get("type"), schema.get("items"), schema.get("values")]
    inner += [each.get("type") for each in schema.get("fields", ()) if isinstance(each, dict)]
    for each in inner:
        if isinstance(each, dict | list):
            found |= named_types(each)
    return found
