"""Git, and the files of a commit written to a folder. A tree may come from anybody and name anything.

Git itself refuses to check out entries such as `..`, and so does this: nothing is written outside the folder, no link
is written through, and no link leads to a file outside.
"""

from __future__ import annotations

import os
import subprocess
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Final

from .topology.model.words import escaped

LINK: Final = "120000"
_SUBMODULE: Final = "160000"
_FOLDER: Final = "040000"
_TOPOLOGY_FILES: Final = (".yaml", ".yml")
MOST_FILES: Final = 100_000  # folders count, too: a small tree can name billions of empty ones
MOST_FOLDERS_DEEP: Final = 200
MOST_BYTES: Final = 256 * 2**20  # of all files together; also the limit of one topology file
MOST_OF_OTHERS: Final = 4 * 2**20  # a larger file is no schema, and nobody reads it
_MOST_OF_TEXTS: Final = 64 * 2**20  # of all versions of a schema together
_LONGEST_LINK: Final = 4096
# An empty folder beside the written one. A link to it is a link out, and there is nothing to read.
_OUTSIDE: Final = "outside"


class BadRevision(Exception):
    """Git cannot provide the revision; the message says why and what to do."""


@dataclass(frozen=True, slots=True)
class Blob:
    mode: str
    name: str
    path: str
    size: int = 0


def git(
    *arguments: str, check: bool = True, given: bytes | None = None, index: Path | None = None
) -> subprocess.CompletedProcess[bytes]:
    environment = os.environ | {"GIT_INDEX_FILE": str(index)} if index is not None else None
    try:
        done = subprocess.run(["git", *arguments], input=given, capture_output=True, check=False, env=environment)
    except FileNotFoundError:
        raise _missing() from None
    if check and done.returncode != 0:
        raise BadRevision(f"git {arguments[0]} failed: {done.stderr.decode(errors='replace').strip()}")
    return done


def tree(commit: str, path: str) -> Iterator[Blob]:
    """The files and links at or below a path, without submodules. Raises BadRevision for a tree that git refuses."""
    found = list(_listed(commit, f"{path}/" if path != "." else "./"))
    if not found and path != ".":
        found = list(_listed(commit, path))
    yield from found


def link_at(commit: str, path: str) -> tuple[Blob, str] | None:
    """The link at a path, and where it leads. None if there is something else, or nothing."""
    link = next((blob for blob in _listed(commit, path, "") if blob.path == path and blob.mode == LINK), None)
    if link is None:
        return None
    with _contents([link]) as contents:
        return link, _target(*next(contents))


def texts(names: list[str]) -> list[str | None] | None:
    """The text of each file, named `commit:path`, or None for something else. None if they are too large to compare."""
    if any("\n" in name for name in names):  # git takes a name for each line
        return None
    asked = "".join(f"{name}\n" for name in names).encode(errors="surrogateescape")
    with _running("cat-file", "--batch-check", given=asked) as output:
        said = [line.split() for line in output]
    found = [
        Blob("", line[0].decode(), name, int(line[2])) if len(line) == 3 and line[1] == b"blob" else None
        for name, line in zip(names, said, strict=True)
    ]
    blobs = [blob for blob in found if blob is not None]
    if (
        max((blob.size for blob in blobs), default=0) > MOST_OF_OTHERS
        or sum(blob.size for blob in blobs) > _MOST_OF_TEXTS
    ):
        return None
    with _contents(blobs) as contents:
        held = iter([content.decode(errors="replace") for _, content in contents])
    return [next(held) if blob is not None else None for blob in found]


def write_tree(root: Path, blobs: Iterable[Blob]) -> None:
    """Write the files below a new folder. Links come last, so nothing can be written through one."""
    held: dict[str, Blob] = {}
    for blob in blobs:
        if held.setdefault(blob.path, blob).name != blob.name:
            raise _refused(blob.path, "is in it twice")
    try:
        for blob in held.values():
            (root / blob.path).parent.mkdir(parents=True, exist_ok=True)
        _write_files(root, [blob for blob in held.values() if blob.mode != LINK])
        _write_links(root, [blob for blob in held.values() if blob.mode == LINK])
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise BadRevision(f"the files of the revision cannot be written to a temporary folder: {reason}") from None


def _write_files(root: Path, files: list[Blob]) -> None:
    whole = [blob for blob in files if blob.size <= _most(blob)]
    if sum(blob.size for blob in whole) > MOST_BYTES:
        most = f"{MOST_BYTES // 2**20} MiB"
        raise BadRevision(f"the revision has more than {most} of files at this path; pass a path to less")
    with _contents(whole) as contents:
        for blob, content in contents:
            _create(root / blob.path, content)
    for blob in files:
        if blob.size > _most(blob):  # too large to be read: only its size counts
            _create(root / blob.path, b"", blob.size)


def _write_links(root: Path, links: list[Blob]) -> None:
    outside = root.parent / _OUTSIDE
    outside.mkdir()
    with _contents(links) as contents:
        for blob, content in contents:
            target = _target(blob, content)
            (root / blob.path).symlink_to(target if _stays_inside(blob.path, target) else outside)


def _most(blob: Blob) -> int:
    return MOST_BYTES if blob.path.lower().endswith(_TOPOLOGY_FILES) else MOST_OF_OTHERS


def _create(file: Path, content: bytes, size: int | None = None) -> None:
    handle = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_NOFOLLOW", 0), 0o600)
    with os.fdopen(handle, "wb") as stream:
        stream.write(content)
        if size is not None:
            stream.truncate(min(size, MOST_BYTES + 1))


def _target(link: Blob, content: bytes) -> str:
    if len(content) > _LONGEST_LINK or b"\0" in content or not content:
        raise _refused(link.path, "is a link to a path that cannot be")
    return os.fsdecode(content)


def _stays_inside(path: str, target: str) -> bool:
    """Whether a link in a real folder cannot lead out, whatever other links are on its way.

    `..` after the name of a folder may lead anywhere if that folder is a link.
    """
    parts = [part for part in target.split("/") if part not in ("", ".")]
    up = sum(part == ".." for part in parts)
    return not target.startswith("/") and ".." not in parts[up:] and up <= path.count("/")


def _listed(commit: str, path: str, deep: str = "-rt") -> Iterator[Blob]:
    options = filter(None, ("-z", "--full-tree", "--long", deep))
    seen: set[str] = set()
    with _running("ls-tree", *options, commit, "--", path) as output:
        for number, entry in enumerate(_entries(output)):
            if number >= MOST_FILES:
                most = f"{MOST_FILES:,} files and folders"
                raise BadRevision(f"the revision has more than {most} at this path; pass a path to fewer")
            blob = _blob(entry)
            if blob.path in seen:
                raise _refused(blob.path, "is in it twice")
            seen.add(blob.path)
            if blob.mode not in (_FOLDER, _SUBMODULE):
                yield blob


def _blob(entry: bytes) -> Blob:
    about, _, name = entry.partition(b"\t")
    mode, _, blob, size = about.decode().split()
    path = os.fsdecode(name)
    parts = path.split("/")
    if any(part in ("", ".", "..") or part.lower().rstrip(". ") == ".git" for part in parts):
        raise _refused(path, "is no name of a file")
    if len(parts) > MOST_FOLDERS_DEEP:
        raise BadRevision(f"the revision has folders in more than {MOST_FOLDERS_DEEP} others; pass another path")
    if mode in (_FOLDER, _SUBMODULE):
        return Blob(mode, blob, path)
    if not size.isdigit():
        raise _no_content(path)
    return Blob(mode, blob, path, int(size))


def _entries(output: IO[bytes]) -> Iterator[bytes]:
    rest = b""
    while block := output.read(2**16):
        *whole, rest = (rest + block).split(b"\0")
        yield from whole
        if len(rest) > 2**16:
            raise BadRevision("the revision has a path of more than 65,536 bytes, which git refuses; pass another one")


@contextmanager
def _contents(blobs: list[Blob]) -> Iterator[Iterator[tuple[Blob, bytes]]]:
    """Each blob with its content, read one by one."""
    asked = "".join(f"{blob.name}\n" for blob in blobs).encode()
    with _running("cat-file", "--batch", given=asked) as output:
        yield ((blob, _content(output, blob)) for blob in blobs)


def _content(output: IO[bytes], blob: Blob) -> bytes:
    said = output.readline().split()
    if len(said) != 3 or said[1] != b"blob":
        raise _no_content(blob.path)
    content = output.read(int(said[2]))
    output.read(1)
    return content


@contextmanager
def _running(command: str, *arguments: str, given: bytes = b"") -> Iterator[IO[bytes]]:
    """The output of git while it runs. It is ended if nobody reads on; what it was given is in a file, not a pipe."""
    with tempfile.TemporaryFile() as asked, tempfile.TemporaryFile() as errors:
        asked.write(given)
        asked.seek(0)
        try:
            whole = ["git", "--literal-pathspecs", command, *arguments]
            process = subprocess.Popen(whole, stdin=asked, stdout=subprocess.PIPE, stderr=errors)
        except FileNotFoundError:
            raise _missing() from None
        with process:
            assert process.stdout is not None  # noqa: S101 - asked for above
            try:
                yield process.stdout
            except BaseException:
                process.kill()
                raise
            process.stdout.close()
            code = process.wait()
        errors.seek(0)
        if code not in (0, -13):
            raise BadRevision(f"git {command} failed: {errors.read(2000).decode(errors='replace').strip()}")


def _refused(path: str, why: str) -> BadRevision:
    return BadRevision(f"the revision cannot be read: `{escaped(path[:200])}` {why}, so git would not check it out")


def _no_content(path: str) -> BadRevision:
    return BadRevision(f"git has no content of `{escaped(path[:200])}`; fetch the whole revision first")


def _missing() -> BadRevision:
    return BadRevision("git is not installed; install it to read revisions")
