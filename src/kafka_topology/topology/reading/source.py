"""Reads topology files from disk. The only module of the language that touches the disk."""

from __future__ import annotations

import re
import stat
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from ..located.nodes import position
from ..model.places import Location

MAX_FILE_BYTES = 256 * 2**20
MAX_FOLDERS_DEEP = 100
MAX_LINE_CHARACTERS = 2**20
SUFFIXES = (".yaml", ".yml")

_LINE_BREAK = re.compile(r"\r\n?|\n")
_OTHER_ENCODINGS = {
    b"\xff\xfe\x00\x00": "UTF-32",
    b"\x00\x00\xfe\xff": "UTF-32",
    b"\xff\xfe": "UTF-16",
    b"\xfe\xff": "UTF-16",
}


@dataclass(frozen=True)
class SourceFile:
    """`name` is the path in messages: as the user gave it, joined with the path below it."""

    name: str
    path: Path
    text: str

    @cached_property
    def lines(self) -> list[str]:
        """Split where YAML and editors break lines, unlike `splitlines`."""
        return _LINE_BREAK.split(self.text)

    def line(self, number: int) -> str:
        return self.lines[number - 1] if 0 < number <= len(self.lines) else ""


@dataclass(frozen=True, slots=True)
class Unreadable:
    """A file that cannot be used, why, and how to fix it."""

    location: Location
    message: str
    fix: str


@dataclass(slots=True)
class Sources:
    root: Path
    files: list[SourceFile] = field(default_factory=list)
    unreadable: list[Unreadable] = field(default_factory=list)
    known: set[Path] = field(default_factory=set)  # already read or refused, with links resolved
    texts: Mapping[Path, str] = field(default_factory=dict)  # replace the content of files


class CannotUse(Exception):
    """Why a file is refused, and how to fix it. Line 0 means the whole file."""

    def __init__(self, message: str, fix: str, line: int = 0, column: int = 0) -> None:
        super().__init__(message)
        self.message = message
        self.fix = fix
        self.line = line
        self.column = column


def read_sources(path: Path, texts: Mapping[Path, str] | None = None) -> Sources:
    """Read one file, or every YAML file below a folder in order of name."""
    try:
        is_folder = path.is_dir()
        root = (path if is_folder else path.parent).resolve()
    except (OSError, RuntimeError) as error:
        sources = Sources(Path())
        sources.unreadable.append(_refused(path, _cannot_read(error), None))
        return sources
    sources = Sources(root, texts=texts or {})
    if not is_folder:
        read_into(sources, path)
        return sources
    found = sorted(_yaml_files(path, path, root, sources, set()))
    # Links last: a file that is also linked to keeps its own name.
    for file in sorted(found, key=lambda each: (each.is_symlink(), each)):
        read_into(sources, file)
    sources.files.sort(key=lambda each: each.path)
    if not found and not sources.unreadable:
        nothing = CannotUse("this folder contains no topology file", "add a file that ends in .yaml")
        sources.unreadable.append(_refused(path, nothing, None))
    return sources


def read_into(sources: Sources, path: Path, asked_at: Location | None = None) -> None:
    """Add a file once, or the reason why it cannot be read, located where it was requested."""
    try:
        real = resolved_inside(path, sources.root)
        if real in sources.known:
            return
        sources.known.add(real)
        text = sources.texts[path] if path in sources.texts else _decoded(_read_bytes(path))
        if len(text) > MAX_LINE_CHARACTERS:
            _refuse_overlong_line(text)
    except CannotUse as reason:
        sources.unreadable.append(_refused(path, reason, asked_at))
    else:
        sources.files.append(SourceFile(str(path), path, text))


def resolved_inside(path: Path, root: Path) -> Path:
    """The path with links resolved. Raises CannotUse if it leads out of the topology's folder."""
    try:
        real = path.resolve()
    except (OSError, RuntimeError, ValueError) as error:
        raise _cannot_read(error) from None
    if not real.is_relative_to(root):
        message = "leads out of the topology's folder"
        raise CannotUse(message, "keep every file of the topology inside its folder")
    return real


def _refused(path: Path, reason: CannotUse, asked_at: Location | None) -> Unreadable:
    line, column = max(reason.line, 1), max(reason.column, 1)
    at, message = Location(str(path), line, column, line, column + 1), reason.message
    if asked_at is not None and not reason.line:
        at, message = asked_at, f"{path}: {message}"
    return Unreadable(at, message, reason.fix)


def _cannot_read(error: Exception) -> CannotUse:
    why = getattr(error, "strerror", None) or str(error)
    return CannotUse(f"cannot be read: {why.lower()}", "check the path and its permissions")


def _yaml_files(folder: Path, top: Path, root: Path, sources: Sources, visited: set[Path]) -> Iterator[Path]:
    """Files below a folder that are not hidden. Follows links to folders unless they lead out; visits each once."""
    try:
        visited.add(resolved_inside(folder, root))
        _refuse_deep_folders(folder, top)
        found = sorted(folder.iterdir(), key=lambda each: (each.is_symlink(), each))
    except CannotUse as reason:
        sources.unreadable.append(_refused(folder, reason, None))
        return
    except OSError as error:
        sources.unreadable.append(_refused(folder, _cannot_read(error), None))
        return
    # Real folders first, so their files keep their own names.
    for path in found:
        if path.name.startswith("."):
            continue
        if _is_folder(path):
            if path.is_symlink() and _real(path) in visited:
                continue
            yield from _yaml_files(path, top, root, sources, visited)
        elif path.name.lower().endswith(SUFFIXES) and not path.name.startswith("Pulumi."):
            yield path


def _refuse_deep_folders(folder: Path, top: Path) -> None:
    if len(folder.parts) - len(top.parts) > MAX_FOLDERS_DEEP:
        raise CannotUse("the folders are nested too deeply", f"nest at most {MAX_FOLDERS_DEEP}")


def _is_folder(path: Path) -> bool:
    try:
        return path.is_dir()
    except OSError:
        return False


def _real(path: Path) -> Path | None:
    try:
        return path.resolve()
    except (OSError, RuntimeError):
        return None


def _read_bytes(path: Path) -> bytes:
    try:
        # Check before opening: opening a pipe would wait for a writer.
        found = path.stat()
        if not stat.S_ISREG(found.st_mode):
            raise CannotUse("is not a regular file", "name a file")
        if found.st_size > MAX_FILE_BYTES:
            limit = f"is larger than {MAX_FILE_BYTES // 2**20} MiB"
            raise CannotUse(limit, "split the topology into several files")
        return path.read_bytes()
    except (OSError, ValueError) as error:
        raise _cannot_read(error) from None


def _decoded(data: bytes) -> str:
    for mark, encoding in _OTHER_ENCODINGS.items():
        if data.startswith(mark):
            raise CannotUse(f"the file is {encoding}, not UTF-8", "save the file as UTF-8", 1, 1)
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        before = error.object[: error.start].decode("utf-8", "replace")
        message = f"byte 0x{error.object[error.start]:02x} is not UTF-8"
        raise CannotUse(message, "save the file as UTF-8", *position(before, len(before))) from None


def _refuse_overlong_line(text: str) -> None:
    if max(map(len, text.split("\n"))) <= MAX_LINE_CHARACTERS:
        return
    for number, line in enumerate(_LINE_BREAK.split(text), 1):
        if len(line) > MAX_LINE_CHARACTERS:
            message = f"line {number} has {len(line):,} characters; at most {MAX_LINE_CHARACTERS:,} are allowed"
            raise CannotUse(message, "break the line", number, 1)
