"""Topologies at git revisions, read without touching the work tree: locations name the paths of the repository."""

from __future__ import annotations

import contextlib
import os
import subprocess
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from kafka_topology.topology import Loaded, load

# A topology in a single file may name schemas beside it, and a whole repository may lie there: only what can be one.
_BESIDE = (".yaml", ".yml", ".json", ".avsc", ".proto")
_LARGEST = 256 * 2**20
_LINK, _SUBMODULE = "120000", "160000"


class BadRevision(Exception):
    """Git cannot give what was asked for; the message says what, and what to do."""


class NotThere(BadRevision):
    """The revision is there, and the path is not in it."""


@dataclass(frozen=True, slots=True)
class Revision:
    """A commit, and the path of a topology as seen from the current folder."""

    name: str
    commit: str
    path: str
    prefix: str = ""  # of the current folder in the repository

    @property
    def label(self) -> str:
        short = self.commit[:10]
        return self.name if self.commit.startswith(self.name) else f"{self.name} ({short})"

    def load(self, environment: str | None = None, *, environment_optional: bool = False) -> Loaded:
        with _exported(self) as folder, contextlib.chdir(folder):
            return load(self.path, environment, environment_optional=environment_optional)


def parse_revision(text: str) -> Revision | None:
    """`REV:path`, unless that is a path of its own."""
    name, colon, path = text.partition(":")
    if not colon or not name or Path(text).exists():
        return None
    return find_revision(name, path or ".")


def find_revision(name: str, path: str) -> Revision:
    return Revision(name, _commit(name), _seen_from_here(path), prefix())


def fork_point(name: str, path: str) -> Revision:
    """Where the current commit left the named one: what came there later is not part of this change."""
    revision = find_revision(name, path)
    done = _git("merge-base", revision.commit, "HEAD", check=False)
    forked = done.stdout.decode().strip()
    return Revision(name, forked, revision.path, revision.prefix) if done.returncode == 0 and forked else revision


def prefix() -> str:
    """Of the current folder in the repository: empty at its root, or ends in a slash. Empty outside of one, too."""
    done = _git("rev-parse", "--show-prefix", check=False)
    return os.fsdecode(done.stdout).rstrip("\n") if done.returncode == 0 else ""


def _commit(name: str) -> str:
    if name.startswith("-"):
        raise BadRevision(f"{name} is not a revision: it starts with a hyphen")
    done = _git("rev-parse", "--verify", "--quiet", "--end-of-options", f"{name}^{{commit}}", check=False)
    if done.returncode != 0:
        inside = _git("rev-parse", "--git-dir", check=False)
        if inside.returncode != 0:
            raise BadRevision("this folder is not in a git repository; compare folders with `kafka-topology diff`")
        raise BadRevision(
            f"git knows no revision {name} here; fetch it first (in a workflow: check out with fetch-depth: 0)"
        )
    return done.stdout.decode().strip()


def _seen_from_here(path: str) -> str:
    given = Path(path)
    if given.is_absolute():
        with contextlib.suppress(ValueError):
            return str(given.resolve().relative_to(Path.cwd().resolve()))
        return os.path.relpath(given.resolve(), Path.cwd().resolve())
    return path


@contextlib.contextmanager
def _exported(revision: Revision) -> Iterator[Path]:
    """A folder of its own that holds what the topology may need, at the place where it is in the repository."""
    inside = os.path.normpath(Path(revision.prefix) / revision.path)
    if inside.startswith(".."):
        raise BadRevision(f"{revision.path} is outside of the repository")
    with tempfile.TemporaryDirectory(prefix="kafka-topology-") as made:
        root = Path(made).resolve()
        here = root / revision.prefix
        here.mkdir(parents=True, exist_ok=True)
        wanted = list(_wanted(revision, inside))
        if not wanted:
            raise NotThere(f"{revision.label} has no {revision.path}")
        _write(root, wanted)
        yield here


@dataclass(frozen=True, slots=True)
class _Blob:
    mode: str
    name: str
    path: str


def _wanted(revision: Revision, inside: str) -> Iterator[_Blob]:
    """All files of a folder; of a single file, what beside and below it can be part of the topology."""
    found = list(_tree(revision.commit, inside))
    is_file = [blob for blob in found if blob.path == inside and blob.mode != _LINK]
    if not is_file:
        yield from found
        return
    folder = os.path.dirname(inside) or "."  # noqa: PTH120 - a path of the repository, not of the disk
    for blob in _tree(revision.commit, folder):
        if blob.path == inside or blob.path.endswith(_BESIDE):
            yield blob


def _tree(commit: str, path: str) -> Iterator[_Blob]:
    listed = _git("ls-tree", "-r", "-z", "--full-tree", "--long", commit, "--", f"{path}/" if path != "." else "./")
    if not listed.stdout and path != ".":
        listed = _git("ls-tree", "-r", "-z", "--full-tree", "--long", commit, "--", path)
    for entry in filter(None, listed.stdout.split(b"\0")):
        about, _, name = entry.partition(b"\t")
        mode, _, blob, size = about.decode().split()
        if mode != _SUBMODULE and int(size) <= _LARGEST:
            yield _Blob(mode, blob, os.fsdecode(name))


def _write(root: Path, blobs: list[_Blob]) -> None:
    asked = "".join(f"{blob.name}\n" for blob in blobs).encode()
    held = _git("cat-file", "--batch", given=asked).stdout
    at = 0
    for blob in blobs:
        end = held.index(b"\n", at)
        size = int(held[at:end].split()[2])
        content = held[end + 1 : end + 1 + size]
        at = end + size + 2
        file = root / blob.path
        file.parent.mkdir(parents=True, exist_ok=True)
        if blob.mode == _LINK:
            file.symlink_to(os.fsdecode(content))
        else:
            file.write_bytes(content)


def _git(*arguments: str, check: bool = True, given: bytes | None = None) -> subprocess.CompletedProcess[bytes]:
    try:
        done = subprocess.run(["git", *arguments], input=given, capture_output=True, check=False)
    except FileNotFoundError:
        raise BadRevision("git is not installed, and revisions cannot be read without it") from None
    if check and done.returncode != 0:
        raise BadRevision(f"git {arguments[0]} failed: {done.stderr.decode(errors='replace').strip()}")
    return done
