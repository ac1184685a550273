"""Client settings as Java properties, and as data by the names of any other library."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

from ..partitioners import BY_NAME, OtherPartitioner, is_java_default
from .libraries import Library, Side
from .libraries.java import JAVA
from .libraries.librdkafka import LIBRDKAFKA
from .model import Client, ClientKind, Property
from .settling import settle
from .streams_clients import settle_clients


def as_properties(client: Client) -> str:
    """A `.properties` file with the reason above each setting."""
    properties, notes = in_java(client)
    chosen = client.partitioner
    known = BY_NAME.get(chosen or "")
    if known is not None and known.java is not None:
        reason = f"partitioner: {known.name}"
        keyless = isinstance(known, OtherPartitioner)
        properties.append(Property(*known.java, f"{reason}, whatever the key" if keyless else reason))
    elif chosen is not None and not (known is not None and is_java_default(known)):
        notes.append(f"partitioner.class: the Java client has none for {chosen}; it needs a class of its own")
    lines = [f"# {_one_line(client.title)}"]
    for item in properties:
        lines += ["", f"# {_one_line(item.reason)}", f"{_escaped(item.name, key=True)}={_escaped(item.value)}"]
    if notes:
        lines += ["", *(f"# note: {_one_line(note)}" for note in notes)]
    return "\n".join(lines) + "\n"


def in_java(client: Client) -> tuple[list[Property], list[str]]:
    """The settings as the Java client takes them, and notes."""
    found, notes = {item.name: item for item in client.properties}, list(client.notes)
    if client.kind in ("producer", "consumer"):
        settle(JAVA, client.kind, found, notes)
    elif client.kind == "streams":
        settle_clients(found, notes)
    return list(found.values()), notes


def in_own_names(client: Client) -> dict[str, str]:
    """What `clients` prints for it, by the names that its `config` has."""
    library = client.library
    found, _ = in_java(client) if library is None or library.has_java_names else in_library(client, library)
    return {item.name: item.value for item in found}


def as_librdkafka(client: Client) -> dict[str, Any]:
    """Plain data for JSON: `config` is what a librdkafka client takes; what it has no name for is in the notes."""
    return as_data(client, LIBRDKAFKA)


def as_data(client: Client, library: Library) -> dict[str, Any]:
    """Plain data for JSON: `config` by the library's names; what it has no name for is in the notes."""
    translated, notes = in_library(client, library)
    return {
        "kind": client.kind,
        "name": client.name,
        **({"library": library.name} if client.library is not None else {}),
        "config": {item.name: item.value for item in translated},
        "reasons": {item.name: item.reason for item in translated},
        "notes": notes,
    }


def in_library(client: Client, library: Library) -> tuple[list[Property], list[str]]:
    """The settings by the library's names and in its words, and notes on what it does not have."""
    found: dict[str, Property] = {}
    notes = [note if note.startswith("error ") else _called(note, client.kind, library) for note in client.notes]
    compression = next((item.value for item in client.properties if item.name == "compression.type"), "none")
    for given in client.properties:
        item = replace(given, reason=_called(given.reason, client.kind, library))
        if item.name in _LEVELS and item.name != f"compression.{compression}.level":
            notes.append(f"{item.name}={item.value}: it has no effect with compression.type={compression}")
            continue
        translated = _translated(client.kind, item, library)
        if translated is not None:
            found[translated.name] = translated
        elif item.name in library.in_code:
            notes.append(f"{item.name}={item.value}: {library.in_code[item.name]} ({item.reason})")
        elif not _holds_anyway(client.kind, item, library):
            notes.append(f"{item.name}={item.value}: {library.name} has nothing like it ({item.reason})")
    found |= {item.name: item for item in client.own}
    _choose_partitioner(client, library, found, notes)
    _fit(client.kind, library, found, notes)
    if client.kind in ("producer", "consumer"):
        settle(library, client.kind, found, notes)
    return list(found.values()), notes


def _fit(kind: ClientKind, library: Library, found: dict[str, Property], notes: list[str]) -> None:
    """Changes what the library would refuse, and says so."""
    side = _side(kind)
    if side is None or library.fit is None:
        return
    values = {name: item.value for name, item in found.items()}
    for name, value, why in library.fit(side, library.settings(side), values):
        if value is None:
            notes.append(f"{name}={found.pop(name).value}: left out: {why}")
        elif name in found:
            item = found[name]
            found[name] = replace(item, value=value, reason=f"{item.reason}; {item.value} for {library.name}: {why}")
        else:
            found[name] = Property(name, value, f"{library.name} needs {why}")


def _holds_anyway(kind: ClientKind, item: Property, library: Library) -> bool:
    """Whether every client of the library does so, without a setting."""
    side = _side(kind)
    fixed = library.fixed.get(side, {}).get(item.name) if side is not None else None
    if fixed is None or item.name != "max.in.flight.requests.per.connection":
        return fixed == item.value
    return int(fixed) <= int(item.value)


def _choose_partitioner(client: Client, library: Library, found: dict[str, Property], notes: list[str]) -> None:
    chosen = client.partitioner
    if chosen is None or library.has_java_names:
        return
    own, name = library.partitioners.get(chosen), library.partitioner_setting
    if own is not None and name is not None:
        is_default = library.partitioner == chosen
        why = f"{library.name}'s default" if is_default else f"{library.name}'s default places keys elsewhere"
        found[name] = Property(name, own, f"partitioner: {chosen}; {why}")
    elif library.partitioner != chosen:
        notes.append(f"partitioner: {library.name} has none for {chosen}; the application must set the partition")


_NAME = re.compile(r"(?<![\w.-])[a-z]+(?:\.[a-z]+)+(?![\w-]|\.\w)")
# The compression levels of the Java client; librdkafka has one for all.
_LEVELS = ("compression.gzip.level", "compression.lz4.level", "compression.zstd.level")


def _side(kind: ClientKind) -> Side | None:
    """Whose settings a client takes; a streams application takes those of both."""
    return None if kind == "streams" else "consumer" if kind == "share-consumer" else kind


def _translated(kind: ClientKind, item: Property, library: Library) -> Property | None:
    side = _side(kind)
    if side is None:
        return None
    java = _LEVELS[0] if item.name in _LEVELS else item.name
    name = library.own_name(side, java)
    own = library.settings(side).get(name) if name is not None else None
    value = own.from_java(item.value) if own is not None else None
    return replace(item, name=name, value=value) if name is not None and value is not None else None


def _called(text: str, kind: ClientKind, library: Library) -> str:
    """A sentence with the library's own names for the settings that it has."""
    side = _side(kind)
    if side is None or library.has_java_names:
        return text
    return _NAME.sub(lambda name: library.own_name(side, name[0]) or name[0], text)


def _one_line(text: str) -> str:
    return " ".join(text.split())


def _escaped(text: str, *, key: bool = False) -> str:
    """As java.util.Properties reads it: backslashes, line ends, and what Latin-1 does not have."""
    out = []
    for index, character in enumerate(text):
        if character == "\\" or (key and character in " :=#!") or (index == 0 and character in " #!"):
            out.append(f"\\{character}")
        elif character in "\n\r\t\f":
            out.append({"\n": "\\n", "\r": "\\r", "\t": "\\t", "\f": "\\f"}[character])
        elif " " <= character <= "~":
            out.append(character)
        else:
            data = character.encode("utf-16-be")
            out += [f"\\u{data[i]:02x}{data[i + 1]:02x}" for i in range(0, len(data), 2)]
    return "".join(out)
