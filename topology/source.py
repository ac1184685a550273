"""Reads topology files from disk. The only module of the language that touches the disk."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from .places import Location

MAX_FILE_BYTES = 256 * 2**20
MAX_LINE_CHARACTERS = 2**20
SUFFIXES = (".yaml", ".yml")


@dataclass(frozen=True, slots=True)
class SourceFile:
    """`name` is how messages call the file: the path as the user gave it, joined with what was found below it."""

    name: str
    path: Path
    text: str

    def line(self, number: int) -> str:
        lines = self.text.split("\n", number)
        return lines[number - 1].rstrip("\r") if number <= len(lines) else ""


@dataclass(frozen=True, slots=True)
class Unreadable:
    """A file that cannot be used: what is wrong and what to do."""

    location: Location
    message: str
    remediation: str


@dataclass(slots=True)
class Sources:
    root: Path
    files: list[SourceFile] = field(default_factory=list)
    unreadable: list[Unreadable] = field(default_factory=list)
    texts: Mapping[Path, str] = field(default_factory=dict)  # what stands in for a file's content

    def is_inside(self, path: Path) -> bool:
        return path.resolve().is_relative_to(self.root)


def read_sources(path: Path, texts: Mapping[Path, str] | None = None) -> Sources:
    """Reads one file, or every YAML file below a folder, in the order of their names."""
    root = (path if path.is_dir() else path.parent).resolve()
    sources = Sources(root, texts=texts or {})
    if path.is_dir():
        found = list(_yaml_files(path))
        if not found:
            at = Location(str(path), 1, 1, 1, 2)
            remedy = "add a file that ends in .yaml"
            sources.unreadable.append(Unreadable(at, "no topology file is in this folder", remedy))
        for file in found:
            read_into(sources, file)
    else:
        read_into(sources, path)
    return sources


def read_into(sources: Sources, path: Path, asked_at: Location | None = None) -> SourceFile | None:
    """Adds one file to the sources, or the reason why it cannot be read, at the place that asked for it."""

    def refuse(message: str, remediation: str, line: int = 1, column: int = 1) -> None:
        at = Location(str(path), line, column, line, column + 1)
        if asked_at is not None:
            at, message = asked_at, f"{path}: {message}"
        sources.unreadable.append(Unreadable(at, message, remediation))

    if not sources.is_inside(path):
        return refuse(
            "leads out of the topology's folder",
            "keep every file of the topology inside its folder",
        )
    try:
        data = sources.texts[path].encode() if path in sources.texts else _read_bytes(path)
    except OSError as error:
        return refuse(
            f"cannot be read: {(error.strerror or str(error)).lower()}",
            "check the path and its permissions",
        )
    except ValueError as error:
        return refuse(str(error), "split the topology into several files")
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        column = error.start - (data.rfind(b"\n", 0, error.start) + 1) + 1
        return refuse(f"byte 0x{data[error.start]:02x} is not UTF-8", "save the file as UTF-8", line, column)
    long_line = _overlong_line(text)
    if long_line:
        message = f"line {long_line} is longer than {MAX_LINE_CHARACTERS:,} characters"
        return refuse(message, "break the line", long_line)
    file = SourceFile(str(path), path, text)
    sources.files.append(file)
    return file


def _yaml_files(folder: Path) -> Iterator[Path]:
    for directory, subfolders, names in os.walk(folder):
        subfolders[:] = sorted(name for name in subfolders if not name.startswith("."))
        for name in sorted(names):
            if name.endswith(SUFFIXES) and not name.startswith((".", "Pulumi.")):
                yield Path(directory, name)


def _read_bytes(path: Path) -> bytes:
    if not path.is_file() and path.exists():
        raise OSError(None, "it is not a regular file")
    with path.open("rb") as stream:
        data = stream.read(MAX_FILE_BYTES + 1)
    if len(data) > MAX_FILE_BYTES:
        raise ValueError(f"is larger than {MAX_FILE_BYTES // 2**20} MiB")
    return data


def _overlong_line(text: str) -> int:
    """The number of the first line that is too long, or 0."""
    if len(text) <= MAX_LINE_CHARACTERS:
        return 0
    return next((n for n, line in enumerate(text.split("\n"), 1) if len(line) > MAX_LINE_CHARACTERS), 0)
