"""Comments that suppress a rule, with the line and resource that each concerns."""

from __future__ import annotations

import re
from collections.abc import Iterable

from ..located.entries import BROKEN, Entry
from ..model.declared import CommentIgnore
from ..model.places import Location
from .source import SourceFile

_MARK = "kafka-topology: ignore"
_IGNORE = re.compile(r"(?:^|\s)#\s*kafka-topology: ignore[ \t]+(\S+)[ \t]*(.*?)\s*$")
_KINDS = {
    "topics": "topic",
    "producers": "producer",
    "consumerGroups": "group",
    "streams": "streams",
    "users": "user",
}

Declarations = dict[tuple[str, int], tuple[str, str]]


def comment_ignores(files: Iterable[SourceFile], documents: Iterable[Entry]) -> tuple[CommentIgnore, ...]:
    """All such comments, in the order of files and lines."""
    marked = [file for file in files if _MARK in file.text]
    if not marked:
        return ()
    declared = _declarations(documents, {file.name for file in marked})
    return tuple(ignore for file in marked for ignore in _in_file(file, declared))


def _in_file(file: SourceFile, declared: Declarations) -> Iterable[CommentIgnore]:
    lines = file.lines
    for index, text in enumerate(lines):
        match = _IGNORE.search(text) if _MARK in text else None
        if match is None:
            continue
        target = index
        if not text[: match.start()].strip():
            target = next((n for n in range(index + 1, len(lines)) if _holds_something(lines[n])), index)
        column = match.start(1) + 1
        at = Location(file.name, index + 1, column, index + 1, column + len(match[1]))
        kind, resource = declared.get((file.name, target + 1), ("", ""))
        yield CommentIgnore(match[1], match[2], at, target + 1, kind, resource)


def _holds_something(line: str) -> bool:
    stripped = line.strip()
    return bool(stripped) and not stripped.startswith("#")


def _declarations(documents: Iterable[Entry], files: set[str]) -> Declarations:
    """The lines that declare resources, also inside environments."""
    found: Declarations = {}

    def add(sections: dict[str, Entry]) -> None:
        for section, kind in _KINDS.items():
            for name, entry in _fields(sections.get(section)).items():
                if entry.key is not None and entry.origin.file in files:
                    found[entry.origin.file, entry.key.start_mark.line + 1] = (kind, name)

    for document in documents:
        add(_fields(document))
        for environment in _fields(_fields(document).get("environments")).values():
            add(_fields(environment))
    return found


def _fields(entry: Entry | None) -> dict[str, Entry]:
    return {} if entry is None or entry.value is BROKEN else entry.value
