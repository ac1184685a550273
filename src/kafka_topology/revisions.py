"""Topologies at git revisions, read without touching the work tree. Locations use the paths of the repository."""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import tempfile
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path, PurePosixPath

from kafka_topology.topology import Loaded, load

from .git_trees import LINK, BadRevision, Blob, git, link_at, texts, tree, write_tree

__all__ = [
    "BadRevision",
    "NotThere",
    "Revision",
    "find_revision",
    "fork_point",
    "is_shallow",
    "linked_from",
    "moved_from",
    "parse_revision",
    "prefix",
]

# A single file may refer to schemas beside it, where a whole repository may be: export only these types.
_BESIDE = (".yaml", ".yml", ".json", ".avsc", ".proto")
_TOPOLOGY_FILES = (".yaml", ".yml")
_MOST_VERSIONS = 1000  # of one schema
_VERSION = re.compile(rb"\0([0-9a-f]{40,64})\0\n([^\0]+)\0")
_MOST_LINKS = 40  # as the kernel follows


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
        is_folder = git("cat-file", "-t", f"{self.commit}:{inside if inside != '.' else ''}", check=False)
        folder = inside if is_folder.stdout.strip() == b"tree" else str(PurePosixPath(inside).parent)
        file = os.path.normpath(f"{folder}/{path}")
        top = os.fsdecode(git("rev-parse", "--show-toplevel").stdout).rstrip("\n")
        options = ("--follow", "-z", "--format=%x00%H", "--name-only", f"--max-count={_MOST_VERSIONS}")
        listed = git("--literal-pathspecs", "-C", top, "log", *options, self.commit, "--", file).stdout
        versions = [(commit.decode(), os.fsdecode(name)) for commit, name in _VERSION.findall(listed)]
        found = texts([f"{commit}:{name}" for commit, name in versions[1:]])
        if len(versions) == _MOST_VERSIONS or found is None:
            return None
        first: dict[str, str] = {}
        for (commit, _), text in zip(versions[1:], found, strict=True):
            if text is not None:
                first.setdefault(text, commit[:10])
        return tuple((commit, text) for text, commit in first.items())


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
    done = git("merge-base", revision.commit, "HEAD", check=False)
    forked = done.stdout.decode().strip()
    if done.returncode != 0 or not forked:
        raise BadRevision(f"git finds no common commit of HEAD and {name}, so nothing can be compared; {_deepen(name)}")
    return replace(revision, commit=forked)


def is_shallow() -> bool:
    """Whether the clone has only the latest part of its history."""
    return git("rev-parse", "--is-shallow-repository", check=False).stdout.strip() == b"true"


def _deepen(name: str) -> str:
    if is_shallow():
        return (
            "this clone is shallow: fetch the whole history with `git fetch --unshallow` (in a workflow, check out with"
            " fetch-depth: 0; on GitLab, set GIT_DEPTH: 0)"
        )
    return f"their histories are unrelated: compare two versions with `kafka-topology diff {name}:PATH PATH`"


def linked_from(revision: Revision) -> Revision | None:
    """The same commit at the path that a link of the work tree leads to. None without a link, or if it leads out."""
    path = _linked(revision.path, revision.prefix)
    return replace(revision, path=path) if path is not None else None


def tracked_path(path: str) -> str:
    """The path under which Git has the files: where a link leads to, unless that is outside of the repository."""
    return path if Path(path).is_absolute() else _linked(path, prefix()) or path


def _linked(path: str, inside: str) -> str | None:
    """Where a link leads to, seen from the current folder; None without a link, or if it leads out."""
    try:
        real = Path(path).resolve()
    except (OSError, RuntimeError):
        return None
    led = os.path.relpath(real, Path.cwd().resolve())
    if led == os.path.normpath(path) or os.path.normpath(Path(inside) / led).startswith(".."):
        return None
    return led


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
    paths = (blob.path for blob in tree(revision.commit, folder) if blob.path.endswith(_TOPOLOGY_FILES))
    return any(Path(os.path.relpath(path, here)).exists() for path in paths)


def _renames(commit: str, inside: str) -> list[tuple[str, str]]:
    """Old and new paths of the topology files that were moved to a path after the commit."""
    with tempfile.TemporaryDirectory(prefix="kafka-topology-") as made:
        # A copy of the index, because git finds renames to untracked files only after `git add`.
        index = Path(made) / "index"
        current = Path(os.fsdecode(git("rev-parse", "--git-path", "index").stdout).rstrip("\n"))
        if current.exists():
            shutil.copyfile(current, index)
        literal = "" if inside == "." else inside
        git("add", "--intent-to-add", "--", f":(top,literal){literal}", check=False, index=index)
        options = ("--name-status", "-z", "--find-renames", "--diff-filter=R", "--no-relative", "--no-ext-diff")
        patterns = (f":(top,glob)**/*{suffix}" for suffix in _TOPOLOGY_FILES)
        listed = git("diff", *options, commit, "--", *patterns, index=index).stdout
    parts = [os.fsdecode(part) for part in listed.split(b"\0")]
    pairs = zip(parts[1::3], parts[2::3], strict=False)
    return [(old, new) for old, new in pairs if PurePosixPath(new).is_relative_to(inside)]


def prefix() -> str:
    """Path of the current folder in the repository, ending in a slash. Empty at its root and outside of one."""
    done = git("rev-parse", "--show-prefix", check=False)
    return os.fsdecode(done.stdout).rstrip("\n") if done.returncode == 0 else ""


def _commit(name: str) -> str:
    if not name.strip():
        raise BadRevision("the revision is empty; pass a branch, tag or commit")
    if name.startswith("-"):
        raise BadRevision(f"{name} is not a revision: it starts with a hyphen; pass a branch, tag or commit")
    done = git("rev-parse", "--verify", "--quiet", "--end-of-options", f"{name}^{{commit}}", check=False)
    if done.returncode != 0:
        inside = git("rev-parse", "--git-dir", check=False)
        if inside.returncode != 0:
            raise BadRevision("this folder is not in a git repository; compare folders with `kafka-topology diff`")
        if git("rev-parse", "--verify", "--quiet", "HEAD", check=False).returncode != 0 and (
            name == "HEAD" or not git("rev-list", "--all", "--max-count=1").stdout
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
        root = Path(made).resolve() / "files"
        here = root / revision.prefix
        here.mkdir(parents=True, exist_ok=True)
        real, links = _followed(revision.commit, inside)
        wanted = list(_wanted(revision, real))
        if not any(_may_be_topology(blob, real) for blob in wanted):
            raise NotThere(f"{revision.label} has no topology at {revision.path}")
        write_tree(root, [*wanted, *links])
        yield here


def _followed(commit: str, inside: str) -> tuple[str, list[Blob]]:
    """The path behind the links of a path in a commit, and the links."""
    links: list[Blob] = []
    parts = PurePosixPath(inside).parts
    at = 1
    while at <= len(parts):
        path = "/".join(parts[:at])
        found = link_at(commit, path)
        at += 1
        if found is None:
            continue
        link, target = found
        links.append(link)
        joined = os.path.normpath("/".join((*parts[: at - 2], target, *parts[at - 1 :])))
        if target.startswith("/") or joined.startswith("..") or len(links) > _MOST_LINKS:
            raise BadRevision(
                f"{path} is a link that leads out of the repository or in a circle; pass the path behind it"
            )
        parts, at = PurePosixPath(joined).parts, 1
    return "/".join(parts) or ".", links


def _may_be_topology(blob: Blob, inside: str) -> bool:
    return blob.path == inside or blob.mode == LINK or blob.path.endswith(_TOPOLOGY_FILES)


def _wanted(revision: Revision, inside: str) -> Iterator[Blob]:
    """All files of a folder; for a single file, the files beside and below it that may belong to the topology."""
    found = list(tree(revision.commit, inside))
    is_file = [blob for blob in found if blob.path == inside and blob.mode != LINK]
    if not is_file:
        yield from found
        return
    folder = os.path.dirname(inside) or "."  # noqa: PTH120 - a path of the repository, not of the disk
    for blob in tree(revision.commit, folder):
        if blob.path == inside or blob.path.lower().endswith(_BESIDE):
            yield blob
