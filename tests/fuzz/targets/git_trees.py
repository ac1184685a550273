"""A commit of any tree is read, or refused with a reason. Nothing is written elsewhere, and nothing is left behind.

Objects are written without git's own checks, as a server may hold them.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import subprocess
import tempfile
import zlib
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from hypothesis import example, given
from hypothesis import strategies as st

from kafka_topology.revisions import BadRevision, find_revision

SHARE = 0.07  # git is started several times for each example
Entry = tuple[str, bytes, bytes]  # mode, name, id
Tree = list[tuple[str, bytes, "bytes | Tree"]]

MODES = ["100644", "100755", "120000", "40000", "160000", "100664", "0", "777777", "040000"]
NAMES = [
    b"t.yaml", b"a", b"b.json", b"..", b".", b".git", b".GIT ", b"a/t.yaml", b"../out", b"/out", b"\xff", b"a\nb.yaml",
    b"\x1b[2J", b"C:", b"con", b"a\\b", b":(top)", b"*.yaml", b"git~1", b"x" * 300 + b".yaml", b" ", b"-rf",
]  # fmt: skip
TOPOLOGY = b"version: 1\ntopics: {t: {partitions: 1, replication: 1, value: {format: json, schema: b.json}}}\n"
CONTENTS = [
    TOPOLOGY, b"", b"..", b".", b"a", b"t.yaml", b"../..", b"/etc/passwd", b"../../../../../../tmp", b"a/../..",
    b"{}", b"\0", b"a\0b", b"x" * 5000, b"{'$ref': '../../x.json'}", b"version: 1\ninclude: [a, ../out]\n",
]  # fmt: skip
PATHS = [".", "t.yaml", "a", "a/t.yaml", "a/a", "../x", "/etc", "", "a/..", "*", ":(top)", "-rf", "b.json", "link\n"]


def _entries(contents: st.SearchStrategy[bytes | Tree]) -> st.SearchStrategy[Tree]:
    names = st.sampled_from(NAMES) | st.sampled_from(NAMES[:3]) | st.binary(min_size=1, max_size=6)
    return st.lists(st.tuples(st.sampled_from(MODES) | st.sampled_from(MODES[:4]), names, contents), max_size=5)


BLOBS = st.sampled_from(CONTENTS) | st.binary(max_size=20)
TREES = _entries(st.recursive(BLOBS, _entries, max_leaves=8))


@cache
def _place() -> tuple[tempfile.TemporaryDirectory[str], Path, Path]:
    held = tempfile.TemporaryDirectory()
    repository, temporary = Path(held.name, "repository"), Path(held.name, "temporary")
    repository.mkdir()
    temporary.mkdir()
    subprocess.run(["git", "init", "-q", str(repository)], check=True)
    return held, repository, temporary


def _write(repository: Path, kind: str, content: bytes) -> bytes:
    whole = f"{kind} {len(content)}\0".encode() + content
    name = hashlib.sha1(whole, usedforsecurity=False).hexdigest()
    file = repository / ".git/objects" / name[:2] / name[2:]
    if not file.exists():
        file.parent.mkdir(exist_ok=True)
        file.write_bytes(zlib.compress(whole))
    return bytes.fromhex(name)


def _write_tree(repository: Path, tree: Tree) -> bytes:
    raw = b""
    for mode, name, content in tree:
        made = _write(repository, "blob", content) if isinstance(content, bytes) else _write_tree(repository, content)
        raw += mode.encode() + b" " + name.replace(b"\0", b"") + b"\0" + made
    return _write(repository, "tree", raw)


@contextlib.contextmanager
def _temporary_files_in(folder: Path) -> Iterator[None]:
    before = tempfile.tempdir
    tempfile.tempdir = str(folder)
    try:
        yield
    finally:
        tempfile.tempdir = before


def _names_below(folder: Path) -> set[str]:
    found = (Path(at, name) for at, folders, files in os.walk(folder) for name in (*folders, *files))
    return {str(each) for each in found if ".git/objects" not in str(each)}


@given(tree=TREES, path=st.sampled_from(PATHS))
@example(tree=[("40000", b"..", [("100644", b"t.yaml", TOPOLOGY)])], path=".")
@example(tree=[("120000", b"a", b"/tmp"), ("100644", b"a/t.yaml", TOPOLOGY)], path=".")
@example(tree=[("100644", b"t.yaml", TOPOLOGY)], path="t.yaml")
def fuzz_revisions(tree: Tree, path: str) -> None:
    held, repository, temporary = _place()
    author = b"author t <t@example.com> 0 +0000\ncommitter t <t@example.com> 0 +0000\n\nfuzz\n"
    commit = _write(repository, "commit", b"tree " + _write_tree(repository, tree).hex().encode() + b"\n" + author)
    before = _names_below(Path(held.name))
    with contextlib.chdir(repository), _temporary_files_in(temporary):
        try:
            loaded = find_revision(commit.hex(), path).load()
        except BadRevision:
            pass
        else:
            assert loaded.topology is not None or loaded.problems
    assert _names_below(Path(held.name)) == before
