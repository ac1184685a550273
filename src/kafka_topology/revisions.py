"""Topologies at git revisions, read without touching the work tree. Locations use the paths of the repository."""

from __future__ import annotations

import contextlib
import os
import shutil
import subprocess
import tempfile
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path, PurePosixPath

from kafka_topology.topology import Loaded, load

# A single file may refer to schemas beside it, where a whole repository may be: export only these types.
_BESIDE = (".yaml", ".yml", ".json", ".avsc", ".proto")
_TOPOLOGY_FILES = (".yaml", ".yml")
_LARGEST = 256 * 2**20
_MOST_VERSIONS = 1000  # of one schema
_LINK, _SUBMODULE = "120000", "160000"
_MOST_LINKS = 40  # as the kernel follows


class BadRevision(Exception):
    """Git cannot provide the revision; the message says why and what to do."""


class NotThere(BadRevision):
    """The revision exists, but has no topology at the path."""


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

    @property
    def inside(self) -> str:
        """The path as the repository names it."""
        inside = os.path.normpath(Path(self.prefix) / self.path)
        if inside.startswith(".."):
            raise BadRevision(f"{self.path} is outside the repository; pass a path inside it")
        return inside

    def load(self, environment: str | None = None, *, environment_optional: bool = False) -> Loaded:
        with _exported(self) as folder, contextlib.chdir(folder):
            return load(self.path, environment, environment_optional=environment_optional)

    def schema_history(self, path: str) -> tuple[tuple[str, str], ...] | None:
        """Earlier texts of a file of the topology, the latest first, each with its commit. None if git has not all.

        `path` is relative to the topology's folder. A file that was moved is followed.
        """
        if is_shallow():
            return None
        inside = _followed(self.commit, self.inside)[0]
        is_folder = _git("cat-file", "-t", f"{self.commit}:{inside if inside != '.' else ''}", check=False)
        folder = inside if is_folder.stdout.strip() == b"tree" else str(PurePosixPath(inside).parent)
        file = os.path.normpath(f"{folder}/{path}")
        top = os.fsdecode(_git("rev-parse", "--show-toplevel").stdout).rstrip("\n")
        options = ("--follow", "--format=%x00%H", "--name-only", f"--max-count={_MOST_VERSIONS}")
        listed = _git("-C", top, "log", *options, self.commit, "--", file)
        blocks = [block.split("\n\n") for block in os.fsdecode(listed.stdout).split("\0")[1:]]
        named = [(block[0].strip(), block[1].strip()) for block in blocks if len(block) > 1]
        if len(named) == _MOST_VERSIONS:
            return None
        texts: dict[str, str] = {}
        for commit, name in named[1:]:
            shown = _git("cat-file", "blob", f"{commit}:{name}", check=False)
            if shown.returncode == 0:
                texts.setdefault(shown.stdout.decode(errors="replace"), commit[:10])
        return tuple((commit, text) for text, commit in texts.items())


def parse_revision(text: str) -> Revision | None:
    """`REV:path`, unless a file of that name exists."""
    name, colon, path = text.partition(":")
    if not colon or not name or Path(text).exists():
        return None
    return find_revision(name, path or ".")


def find_revision(name: str, path: str) -> Revision:
    return Revision(name, _commit(name), _seen_from_here(path), prefix())


def fork_point(name: str, path: str) -> Revision:
    """The merge base of the named revision and HEAD: later commits there are not part of this change.

    Raises BadRevision if git finds none. The revision itself may have later commits, which would look like deletions.
    """
    revision = find_revision(name, path)
    done = _git("merge-base", revision.commit, "HEAD", check=False)
    forked = done.stdout.decode().strip()
    if done.returncode != 0 or not forked:
        raise BadRevision(f"git finds no common commit of HEAD and {name}, so nothing can be compared; {_deepen(name)}")
    return replace(revision, commit=forked)


def is_shallow() -> bool:
    """Whether the clone has only the latest part of its history."""
    return _git("rev-parse", "--is-shallow-repository", check=False).stdout.strip() == b"true"


def _deepen(name: str) -> str:
    if is_shallow():
        return (
            "this clone is shallow: fetch the whole history with `git fetch --unshallow` (in a workflow, check out with"
            " fetch-depth: 0; on GitLab, set GIT_DEPTH: 0)"
        )
    return f"their histories are unrelated: compare two versions with `kafka-topology diff {name}:PATH PATH`"


def linked_from(revision: Revision) -> Revision | None:
    """The same commit at the path that a link of the work tree leads to. None without a link, or if it leads out."""
    here = Path(revision.path)
    try:
        real = here.resolve()
    except (OSError, RuntimeError):
        return None
    path = os.path.relpath(real, Path.cwd().resolve())
    if path == os.path.normpath(revision.path):
        return None
    linked = replace(revision, path=path)
    return None if os.path.normpath(Path(revision.prefix) / path).startswith("..") else linked


def moved_from(revision: Revision) -> Revision | None:
    """The path in the same commit from which git says that the topology was moved. None if it was not moved.

    Compares the commit with the work tree, including files that git does not track yet.
    """
    inside = revision.inside
    renames = _renames(revision.commit, inside)
    if not renames:
        return None
    folders = Counter(_old_folder(old, PurePosixPath(new).relative_to(inside)) for old, new in renames)
    old_path = folders.most_common(1)[0][0]
    if len(renames) == 1 and (renames[0][1] == inside or _stays(revision, old_path)):
        old_path = renames[0][0]
    return replace(revision, path=os.path.relpath(old_path, revision.prefix or "."))


def _old_folder(old: str, below: PurePosixPath) -> str:
    """The old place of the topology's folder, from the old path of a file and its new path below the folder."""
    return "/".join(old.split("/")[: -len(below.parts) or None]) or "."


def _stays(revision: Revision, folder: str) -> bool:
    """Whether the work tree still has topology files of a folder of the commit."""
    here = revision.prefix or "."
    paths = (blob.path for blob in _tree(revision.commit, folder) if blob.path.endswith(_TOPOLOGY_FILES))
    return any(Path(os.path.relpath(path, here)).exists() for path in paths)


def _renames(commit: str, inside: str) -> list[tuple[str, str]]:
    """Old and new paths of the topology files that were moved to a path after the commit."""
    with tempfile.TemporaryDirectory(prefix="kafka-topology-") as made:
        # A copy of the index, because git finds renames to untracked files only after `git add`.
        index = Path(made) / "index"
        current = Path(os.fsdecode(_git("rev-parse", "--git-path", "index").stdout).rstrip("\n"))
        if current.exists():
            shutil.copyfile(current, index)
        literal = "" if inside == "." else inside
        _git("add", "--intent-to-add", "--", f":(top,literal){literal}", check=False, index=index)
        options = ("--name-status", "-z", "--find-renames", "--diff-filter=R", "--no-relative", "--no-ext-diff")
        patterns = (f":(top,glob)**/*{suffix}" for suffix in _TOPOLOGY_FILES)
        listed = _git("diff", *options, commit, "--", *patterns, index=index).stdout
    parts = [os.fsdecode(part) for part in listed.split(b"\0")]
    pairs = zip(parts[1::3], parts[2::3], strict=False)
    return [(old, new) for old, new in pairs if PurePosixPath(new).is_relative_to(inside)]


def prefix() -> str:
    """Path of the current folder in the repository, ending in a slash. Empty at its root and outside of one."""
    done = _git("rev-parse", "--show-prefix", check=False)
    return os.fsdecode(done.stdout).rstrip("\n") if done.returncode == 0 else ""


def _commit(name: str) -> str:
    if not name.strip():
        raise BadRevision("the revision is empty; pass a branch, tag or commit")
    if name.startswith("-"):
        raise BadRevision(f"{name} is not a revision: it starts with a hyphen; pass a branch, tag or commit")
    done = _git("rev-parse", "--verify", "--quiet", "--end-of-options", f"{name}^{{commit}}", check=False)
    if done.returncode != 0:
        inside = _git("rev-parse", "--git-dir", check=False)
        if inside.returncode != 0:
            raise BadRevision("this folder is not in a git repository; compare folders with `kafka-topology diff`")
        if _git("rev-parse", "--verify", "--quiet", "HEAD", check=False).returncode != 0 and (
            name == "HEAD" or not _git("rev-list", "--all", "--max-count=1").stdout
        ):
            raise BadRevision(
                f"the revision {name} does not exist, because there is no commit yet; commit the files first, "
                "or check them with `kafka-topology validate`"
            )
        raise BadRevision(
            f"git does not know the revision {name}; fetch it first (in a workflow, check out with fetch-depth: 0)"
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
    """A temporary folder with the files that the topology may need, at their paths in the repository."""
    inside = revision.inside
    with tempfile.TemporaryDirectory(prefix="kafka-topology-") as made:
        root = Path(made).resolve()
        here = root / revision.prefix
        here.mkdir(parents=True, exist_ok=True)
        real, links = _followed(revision.commit, inside)
        wanted = list(_wanted(revision, real))
        if not any(_may_be_topology(blob, real) for blob in wanted):
            raise NotThere(f"{revision.label} has no topology at {revision.path}")
        _write(root, [*wanted, *links])
        yield here


@dataclass(frozen=True, slots=True)
class _Blob:
    mode: str
    name: str
    path: str


def _followed(commit: str, inside: str) -> tuple[str, list[_Blob]]:
    """The path behind the links of a path in a commit, and the links."""
    links: list[_Blob] = []
    parts = PurePosixPath(inside).parts
    at = 1
    while at <= len(parts):
        path = "/".join(parts[:at])
        link = next((blob for blob in _listed(commit, path) if blob.path == path and blob.mode == _LINK), None)
        at += 1
        if link is None:
            continue
        links.append(link)
        target = os.fsdecode(_git("cat-file", "blob", link.name).stdout)
        joined = os.path.normpath("/".join((*parts[: at - 2], target, *parts[at - 1 :])))
        if target.startswith("/") or joined.startswith("..") or len(links) > _MOST_LINKS:
            raise BadRevision(
                f"{path} is a link that leads out of the repository or in a circle; pass the path behind it"
            )
        parts, at = PurePosixPath(joined).parts, 1
    return "/".join(parts) or ".", links


def _may_be_topology(blob: _Blob, inside: str) -> bool:
    return blob.path == inside or blob.mode == _LINK or blob.path.endswith(_TOPOLOGY_FILES)


def _wanted(revision: Revision, inside: str) -> Iterator[_Blob]:
    """All files of a folder; for a single file, the files beside and below it that may belong to the topology."""
    found = list(_tree(revision.commit, inside))
    is_file = [blob for blob in found if blob.path == inside and blob.mode != _LINK]
    if not is_file:
        yield from found
        return
    folder = os.path.dirname(inside) or "."  # noqa: PTH120 - a path of the repository, not of the disk
    for blob in _tree(revision.commit, folder):
        if blob.path == inside or blob.path.lower().endswith(_BESIDE):
            yield blob


def _listed(commit: str, path: str) -> list[_Blob]:
    """The entry of a path itself."""
    listed = _git("ls-tree", "-z", "--full-tree", commit, "--", path).stdout
    found = []
    for entry in filter(None, listed.split(b"\0")):
        about, _, name = entry.partition(b"\t")
        mode, _, blob = about.decode().split()
        found.append(_Blob(mode, blob, os.fsdecode(name)))
    return found


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


def _git(
    *arguments: str, check: bool = True, given: bytes | None = None, index: Path | None = None
) -> subprocess.CompletedProcess[bytes]:
    environment = os.environ | {"GIT_INDEX_FILE": str(index)} if index is not None else None
    try:
        done = subprocess.run(["git", *arguments], input=given, capture_output=True, check=False, env=environment)
    except FileNotFoundError:
        raise BadRevision("git is not installed; install it to read revisions") from None
    if check and done.returncode != 0:
        raise BadRevision(f"git {arguments[0]} failed: {done.stderr.decode(errors='replace').strip()}")
    return done
