"""Comments that suppress a rule, with the line and resource that each concerns."""

from __future__ import annotations

import re
from collections.abc import Iterable

from ..located.entries import BROKEN, Entry
from ..model.declared import CommentIgnore
from ..model.kinds import NAMED_KINDS
from ..model.places import Location
from .source import SourceFile

# However it is spaced and capitalised: one that is not recognised would be a silent remark.
_MARK = re.compile(r"kafka-topology[ \t]*:[ \t]*ignore", re.IGNORECASE)
_IGNORE = re.compile(
    r"(?:^|\s)#\s*kafka-topology[ \t]*:[ \t]*ignore(?=[\s:]|$):?[ \t]*(\S*)[ \t]*(.*?)\s*$", re.IGNORECASE
)

# Several on one line are made by `forEach`.
Declarations = dict[tuple[str, int], list[tuple[str, str]]]


def comment_ignores(files: Iterable[SourceFile], documents: Iterable[Entry]) -> tuple[CommentIgnore, ...]:
    """All such comments, in the order of files and lines."""
    marked = [file for file in files if _MARK.search(file.text)]
    if not marked:
        return ()
    declared = _declarations(documents, {file.name for file in marked})
    return tuple(ignore for file in marked for ignore in _in_file(file, declared))


def _in_file(file: SourceFile, declared: Declarations) -> Iterable[CommentIgnore]:
    lines = file.lines
    for index, text in enumerate(lines):
        match = _IGNORE.search(text) if "#" in text else None
        if match is None:
            continue
        target = index
        if not text[: match.start()].strip():
            target = next((n for n in range(index + 1, len(lines)) if _holds_something(lines[n])), index)
        column = match.start(1) + 1
        at = Location(file.name, index + 1, column, index + 1, column + len(match[1]))
        for kind, resource in declared.get((file.name, target + 1), [("", "")]):
            yield CommentIgnore(match[1], match[2], at, target + 1, kind, resource)


def _holds_something(line: str) -> bool:
    stripped = line.strip()
    return bool(stripped) and not stripped.startswith("#")


def _declarations(documents: Iterable[Entry], files: set[str]) -> Declarations:
    """The lines that declare resources, also inside environments."""
    found: Declarations = {}

    def add(sections: dict[str, Entry]) -> None:
        for kind in NAMED_KINDS:
            for name, entry in _fields(sections.get(kind.section)).items():
                if entry.key is not None and entry.origin.file in files:
                    line = entry.key.start_mark.line + 1
                    found.setdefault((entry.origin.file, line), []).append((kind.word, name))

    for document in documents:
        add(_fields(document))
        for environment in _fields(_fields(document).get("environments")).values():
            add(_fields(environment))
    return found


def _fields(entry: Entry | None) -> dict[str, Entry]:
    return {} if entry is None or entry.value is BROKEN else entry.value
