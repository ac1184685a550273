"""Declared schemas, complete: a JSON Schema with every file it refers to. Read on the driver, never from a network."""

from __future__ import annotations

import json
import posixpath
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import quote, unquote, urldefrag, urljoin, urlsplit

# Where the files of a topology are thought to lie, so that relative references have something to be relative to.
# The name is reserved for what is never found.
BASE = "http://topology.invalid/"
_NO_SCHEMAS_INSIDE = frozenset({"const", "default", "enum", "examples"})
_KNOWN = ("http://json-schema.org/", "https://json-schema.org/")  # the drafts themselves, which validators carry

ReadFile = Callable[[str], str]


@dataclass(frozen=True, slots=True)
class AvroSchema:
    text: str


@dataclass(frozen=True, slots=True)
class JsonSchema:
    """`documents` has the text of each file by its address, `address` is that of the schema itself."""

    address: str
    documents: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class UnusableSchema:
    reason: str


Schema = AvroSchema | JsonSchema | UnusableSchema


def schema_reader(root: Path) -> ReadFile:
    """Reads files by their path from the root of a topology, and none outside of it."""

    inside = root.resolve()

    def read(name: str) -> str:
        path = (inside / name).resolve()
        if not path.is_relative_to(inside):
            raise PermissionError(None, "it leads out of the topology's folder")
        return path.read_text(encoding="utf-8")

    return read


def schemas_of(texts: Mapping[str, str], read: ReadFile) -> dict[str, Schema]:
    """Each declared schema by its path, ready for Spark or with the reason why it is not."""
    return {name: _schema(name, text, read) for name, text in texts.items()}


def _schema(name: str, text: str, read: ReadFile) -> Schema:
    try:
        document = json.loads(text)
    except ValueError as error:
        return UnusableSchema(f"schema {name} is not JSON: {error}")
    if name.endswith(".avsc"):
        return AvroSchema(text)
    try:
        return _with_references(name, document, read)
    except _NotFound as missing:
        return UnusableSchema(f"schema {name} refers to {missing}")


class _NotFound(Exception):
    pass


def _with_references(name: str, document: Any, read: ReadFile) -> JsonSchema:
    """A file is known by its place or, beside a schema with an absolute `$id`, by an address relative to that."""
    address = _address(name)
    found: dict[str, Any] = {address: document}
    waiting = [(name, document)]
    while waiting:
        place, schema = waiting.pop()
        references = list(_references(schema, _address(place)))
        embedded = {urldefrag(base).url for base, _ in references}
        for base, reference in references:
            wanted = urldefrag(urljoin(base, reference)).url
            if not urldefrag(reference).url or wanted in found or wanted in embedded or wanted.startswith(_KNOWN):
                continue
            beside = _path_beside(place, reference)
            found[wanted] = _document(beside, reference, read)
            waiting.append((beside, found[wanted]))
    return JsonSchema(address, tuple((at, json.dumps(each)) for at, each in found.items()))


def _address(path: str) -> str:
    return BASE + quote(path)


def _references(schema: Any, base: str) -> Iterator[tuple[str, str]]:
    """Every reference with the address that it is relative to. A schema's own `$id` moves that address."""
    if isinstance(schema, list):
        for each in schema:
            yield from _references(each, base)
    if not isinstance(schema, dict):
        return
    for name in ("$id", "id"):
        if isinstance(schema.get(name), str):
            base = urljoin(base, schema[name])
            yield base, "#"
    for name in ("$ref", "$dynamicRef"):
        if isinstance(schema.get(name), str):
            yield base, schema[name]
    for name, each in schema.items():
        if name not in _NO_SCHEMAS_INSIDE:
            yield from _references(each, base)


def _path_beside(place: str, reference: str) -> str:
    """The path of the file that a relative reference means, from the root of the topology."""
    address = urldefrag(reference).url
    if urlsplit(address).scheme or urlsplit(address).netloc:
        raise _NotFound(f"{address}, and nothing is read from a network: use a path relative to the schema")
    return posixpath.normpath(posixpath.join(posixpath.dirname(place), unquote(urlsplit(address).path)))


def _document(path: str, reference: str, read: ReadFile) -> Any:
    try:
        return json.loads(read(path))
    except OSError as error:
        raise _NotFound(f"`{reference}`, which cannot be read: {(error.strerror or str(error)).lower()}") from None
    except ValueError as error:
        raise _NotFound(f"`{reference}`, which is not JSON: {error}") from None
