"""A commit can hold a tree that git would not check out. Reading one writes nothing elsewhere, and says why not."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterable
from pathlib import Path

import pytest

from kafka_topology import git_trees
from kafka_topology.revisions import BadRevision, NotThere, Revision, find_revision

FILE, LINK, FOLDER, SUBMODULE = "100644", "120000", "40000", "160000"
TOPOLOGY = b"version: 1\ntopics: {orders: {partitions: 6, replication: 3}}\n"
Entry = tuple[str, bytes, str]


class Repository:
    """Writes objects without any of git's own checks."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.git("init", "-q", "-b", "main")

    def git(self, *arguments: str, given: bytes = b"") -> str:
        command = ["git", "-c", "user.name=t", "-c", "user.email=t@example.com", *arguments]
        done = subprocess.run(command, cwd=self.folder, input=given, capture_output=True, check=True)
        return done.stdout.decode().strip()

    def blob(self, content: bytes = TOPOLOGY) -> str:
        return self.git("hash-object", "-w", "--stdin", given=content)

    def tree(self, *entries: Entry) -> str:
        raw = b"".join(mode.encode() + b" " + name + b"\0" + bytes.fromhex(blob) for mode, name, blob in entries)
        return self.git("hash-object", "-w", "-t", "tree", "--literally", "--stdin", given=raw)

    def revision(self, tree: str, path: str = ".") -> Revision:
        return find_revision(self.git("commit-tree", "-m", "hostile", tree), path)


@pytest.fixture
def repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Repository:
    root, temporary = tmp_path / "repository", tmp_path / "temporary"
    root.mkdir()
    temporary.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(temporary))
    monkeypatch.chdir(root)
    return Repository(root)


def names_below(folder: Path) -> set[str]:
    return {
        os.path.relpath(Path(at) / name, folder) for at, folders, files in os.walk(folder) for name in files + folders
    }


def messages(revision: Revision) -> list[str]:
    return [finding.message for finding in revision.load().problems]


@pytest.mark.parametrize("name", [b"..", b".", b".git", b".GIT", b".git. ", b"a/b", b"../../escaped.yaml", b"/escaped"])
def test_an_entry_that_is_no_name_is_refused(repository: Repository, tmp_path: Path, name: bytes) -> None:
    inner = repository.tree((FILE, b"escaped.yaml", repository.blob()))
    kind, entry = (FOLDER, inner) if b"/" not in name else (FILE, repository.blob())
    revision = repository.revision(repository.tree((kind, name, entry), (FILE, b"t.yaml", repository.blob())))
    before = names_below(tmp_path)
    if name == b"a/b":  # harmless: it is the same as a folder
        assert messages(revision) == []
        return
    with pytest.raises(BadRevision, match="is no name of a file, so git would not check it out"):
        revision.load()
    assert names_below(tmp_path) == before


def _twice(repository: Repository) -> Iterable[tuple[str, list[Entry]]]:
    file, other = repository.blob(), repository.blob(TOPOLOGY.replace(b"6", b"7"))
    link = repository.blob(b"elsewhere")
    yield "two files", [(FILE, b"t.yaml", file), (FILE, b"t.yaml", other)]
    yield "one file twice", [(FILE, b"t.yaml", file), (FILE, b"t.yaml", file)]
    yield "a link and a file", [(LINK, b"t.yaml", link), (FILE, b"t.yaml", other)]
    yield "a link and a folder", [(LINK, b"a", link), (FOLDER, b"a", repository.tree((FILE, b"t.yaml", file)))]
    yield "a file and a folder", [(FILE, b"a", link), (FOLDER, b"a", repository.tree((FILE, b"t.yaml", file)))]
    folders = [repository.tree((FILE, name, file)) for name in (b"t.yaml", b"u.yaml")]
    yield "two folders", [(FOLDER, b"a", folders[0]), (FOLDER, b"a", folders[1])]


def test_an_entry_that_is_there_twice_is_refused(repository: Repository) -> None:
    for _, entries in _twice(repository):
        with pytest.raises(BadRevision, match="is in it twice"):
            repository.revision(repository.tree(*entries)).load()


def test_nothing_is_written_through_a_link(repository: Repository, tmp_path: Path) -> None:
    """A slash in the name of a file below the link passes git's list of the tree as a path."""
    victim = tmp_path / "victim"
    victim.mkdir()
    link = repository.blob(os.fsencode(victim))
    tree = repository.tree((LINK, b"a", link), (FILE, b"a/t.yaml", repository.blob()))
    with pytest.raises(BadRevision, match="cannot be written to a temporary folder"):
        repository.revision(tree).load()
    assert list(victim.iterdir()) == []


@pytest.mark.parametrize("name", [b"out.yaml", b"out"])
@pytest.mark.parametrize("target", ["/{0}", "../../{0}", "../../../../../../../../{0}", "there/../../../{0}"])
def test_a_link_that_leads_out_is_an_error_wherever_it_leads(
    repository: Repository, tmp_path: Path, name: bytes, target: str
) -> None:
    victim = tmp_path / "victim"
    victim.mkdir()
    (victim / "secret.yaml").write_bytes(TOPOLOGY)
    out = repository.blob(target.format(str(victim)[1:]).encode())
    inner = repository.tree(
        (LINK, b"there", repository.blob(b"..")), (LINK, name, out), (FILE, b"t.yaml", repository.blob())
    )
    assert messages(repository.revision(repository.tree((FOLDER, b"a", inner)), "a")) == [
        "leads out of the topology's folder",
        "leads out of the topology's folder",
    ]


def test_a_link_inside_is_followed(repository: Repository) -> None:
    """Also one to the folder that it is in, which is met on the way to the topology and again below it."""
    inner = repository.tree((FILE, b"real.yaml", repository.blob()), (LINK, b"t.yaml", repository.blob(b"real.yaml")))
    tree = repository.tree((FOLDER, b"a", inner), (LINK, b"all", repository.blob(b".")))
    for path in ("a", "all", "all/a", "a/t.yaml", "."):
        loaded = repository.revision(tree, path).load()
        assert (list(loaded.topology.topics), list(loaded.problems)) == (["orders"], []), path


def test_a_link_to_an_impossible_path_is_refused(repository: Repository) -> None:
    for target in (b"", b"a\0b", b"a" * 5000):
        for path in (".", "l.yaml"):
            with pytest.raises(BadRevision, match=r"`l\.yaml` is a link to a path that cannot be"):
                repository.revision(repository.tree((LINK, b"l.yaml", repository.blob(target))), path).load()


def test_links_in_a_circle_end(repository: Repository) -> None:
    tree = repository.tree((LINK, b"a", repository.blob(b"b")), (LINK, b"b", repository.blob(b"a")))
    with pytest.raises(BadRevision, match="in a circle"):
        repository.revision(tree, "a").load()
    with pytest.raises(BadRevision, match="in a circle"):
        repository.revision(tree, "a/t.yaml").load()


def test_names_of_any_bytes_are_read(repository: Repository) -> None:
    names = (b"a\nb.yaml", b"\xff\xfe.yaml", b"\x1b[2Jc.yaml", b'"quoted".yaml', b":(top)x.yaml", b"*.yaml")
    topics = (b"version: 1\ntopics: {t%d: {partitions: 6, replication: 3}}\n" % number for number in range(len(names)))
    entries = sorted((FILE, name, repository.blob(text)) for name, text in zip(names, topics, strict=True))
    loaded = repository.revision(repository.tree(*entries)).load()
    assert sorted(loaded.topology.topics) == [f"t{number}" for number in range(len(names))]
    for name in names:
        assert len(repository.revision(repository.tree(*entries), os.fsdecode(name)).load().topology.topics) == 1


def test_a_submodule_is_left_out(repository: Repository) -> None:
    entries = ((SUBMODULE, b"sub", "1" * 40), (FILE, b"t.yaml", repository.blob()))
    assert messages(repository.revision(repository.tree(*entries))) == []
    with pytest.raises(NotThere):
        repository.revision(repository.tree(entries[0])).load()


def test_objects_of_the_wrong_kind_and_missing_ones_are_said(repository: Repository) -> None:
    file = repository.blob()
    for entry, reason in (
        ((FILE, b"t.yaml", repository.tree()), "git has no content of `t.yaml`"),
        ((FILE, b"t.yaml", "1" * 40), "git has no content of `t.yaml`|git ls-tree failed"),
        ((FOLDER, b"a", file), "git ls-tree failed"),
    ):
        with pytest.raises(BadRevision, match=reason):
            repository.revision(repository.tree(entry, (FILE, b"u.yaml", file))).load()


def test_a_small_tree_of_billions_of_entries_is_refused(repository: Repository) -> None:
    """Folders of the same folders: each level has ten times as many files, or empty folders."""
    for bottom in (repository.tree(), repository.tree((FILE, b"t.yaml", repository.blob()))):
        tree = bottom
        for _ in range(9):
            tree = repository.tree(*((FOLDER, b"%d" % number, tree) for number in range(10)))
        with pytest.raises(BadRevision, match="more than 100,000 files and folders at this path; pass a path to fewer"):
            repository.revision(tree).load()


def test_too_deep_folders_are_refused(repository: Repository) -> None:
    tree = repository.tree((FILE, b"t.yaml", repository.blob()))
    for _ in range(250):
        tree = repository.tree((FOLDER, b"a", tree))
    with pytest.raises(BadRevision, match="in more than 200 others"):
        repository.revision(tree).load()


def test_long_names_are_refused(repository: Repository) -> None:
    for length in (300, 70_000, 1_000_000):
        with pytest.raises(BadRevision, match=r"File name too long|more than 65,536 bytes"):
            repository.revision(repository.tree((FILE, b"a" * length + b".yaml", repository.blob()))).load()


def test_large_files_are_not_read(repository: Repository, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(git_trees, "MOST_OF_OTHERS", 1000)
    monkeypatch.setattr(git_trees, "MOST_BYTES", 3000)
    large, schema = repository.blob(b"#" * 4000), repository.blob(b" " * 900)
    # Too large for anything: only its size is there, and the loader reads no file of that size.
    tree = repository.tree((FILE, b"film.mp4", large), (FILE, b"t.yaml", repository.blob()))
    assert messages(repository.revision(tree)) == []
    tree = repository.tree(*((FILE, b"%d.json" % number, schema) for number in range(4)), (FILE, b"t.yaml", schema))
    with pytest.raises(BadRevision, match="of files at this path; pass a path to less"):
        repository.revision(tree).load()


@pytest.mark.parametrize("name", ["schéma.json", "'a b\".json", "*.json", ":(top)x.json"])
def test_the_history_of_a_schema_has_all_names(repository: Repository, name: str) -> None:
    for text in ("one", "two", "three"):
        (repository.folder / name).write_text(text)
        (repository.folder / "other.json").write_text(text)
        repository.git("add", "-A")
        repository.git("commit", "-qm", text)
    history = find_revision("HEAD", ".").schema_history(name)
    assert history is not None
    assert [text for _, text in history] == ["two", "one"]


def test_a_history_that_is_too_large_is_not_read(repository: Repository, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(git_trees, "MOST_OF_OTHERS", 1000)
    for text in ("one", "2" * 2000, "three"):
        (repository.folder / "s.json").write_text(text)
        repository.git("add", "-A")
        repository.git("commit", "-qm", "s")
    assert find_revision("HEAD", ".").schema_history("s.json") is None
