"""Files and folders that are not what they seem."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from kafka_topology.topology import Finding, Loaded, load

LoadText = Callable[..., Loaded]
GOOD = "version: 1\ntopics: {t: {partitions: 1, replication: 1}}\n"
OTHER = "version: 1\ntopics: {u: {partitions: 1, replication: 1}}\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "topology"
    folder.mkdir()
    (folder / "good.yaml").write_text(GOOD)
    return folder


def only_problem(path: Path) -> Finding:
    (problem,) = load(path).problems
    assert problem.id == "KT001"
    return problem


def test_a_missing_file(tmp_path: Path) -> None:
    problem = only_problem(tmp_path / "nowhere.yaml")
    assert problem.message == "cannot be read: no such file or directory"
    assert problem.location.file == str(tmp_path / "nowhere.yaml")


def test_a_path_that_leads_through_a_file(folder: Path) -> None:
    assert only_problem(folder / "good.yaml" / "more.yaml").message == "cannot be read: not a directory"


def test_a_name_that_is_too_long_for_the_disk(tmp_path: Path) -> None:
    assert only_problem(tmp_path / ("x" * 5000)).message == "cannot be read: file name too long"


def test_an_empty_folder(tmp_path: Path) -> None:
    problem = only_problem(tmp_path)
    assert problem.message == "this folder contains no topology file"
    assert problem.fix == "add a file that ends in .yaml"


def test_a_folder_with_files_of_other_tools(folder: Path) -> None:
    (folder / "Pulumi.yaml").write_text("name: x\nruntime: python\n")
    (folder / "Pulumi.dev.yaml").write_text("config: {}\n")
    (folder / ".hidden.yaml").write_text("not: ours\n")
    (folder / ".git").mkdir()
    (folder / ".git" / "x.yaml").write_text("not: ours\n")
    (folder / "notes.txt").write_text("not ours")
    loaded = load(folder)
    assert loaded.problems == ()
    assert [Path(file.name).name for file in loaded.files] == ["good.yaml"]


def test_a_linked_file_that_leads_out_of_the_folder(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "secret.yaml").write_text(OTHER)
    (folder / "link.yaml").symlink_to(tmp_path / "secret.yaml")
    problem = only_problem(folder)
    assert problem.message == "leads out of the topology's folder"
    assert problem.location.file == str(folder / "link.yaml")


def test_a_linked_folder_that_leads_out_of_the_folder(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "secret").mkdir()
    (tmp_path / "secret" / "x.yaml").write_text(OTHER)
    (folder / "team").symlink_to(tmp_path / "secret")
    problem = only_problem(folder)
    assert problem.message == "leads out of the topology's folder"
    assert problem.location.file == str(folder / "team")


def test_links_inside_the_folder_are_read_once(folder: Path) -> None:
    (folder / "a-link.yaml").symlink_to(folder / "good.yaml")
    (folder / "teams").mkdir()
    (folder / "teams" / "x.yaml").write_text(OTHER)
    (folder / "a-team").symlink_to(folder / "teams")
    (folder / "teams" / "loop").symlink_to(folder)
    loaded = load(folder)
    assert loaded.problems == ()
    assert [file.name for file in loaded.files] == [str(folder / "good.yaml"), str(folder / "teams" / "x.yaml")]


def test_a_file_linked_from_a_hidden_folder_is_read(tmp_path: Path) -> None:
    """Kubernetes mounts a config map this way."""
    (tmp_path / "..data").mkdir()
    (tmp_path / "..data" / "topology.yaml").write_text(GOOD)
    (tmp_path / "topology.yaml").symlink_to("..data/topology.yaml")
    loaded = load(tmp_path)
    assert loaded.problems == ()
    assert [file.name for file in loaded.files] == [str(tmp_path / "topology.yaml")]


def test_a_link_to_nothing_and_a_link_to_itself(folder: Path) -> None:
    (folder / "a.yaml").symlink_to(folder / "nowhere.yaml")
    (folder / "b.yaml").symlink_to(folder / "b.yaml")
    first, second = load(folder).problems
    assert first.message == "cannot be read: no such file or directory"
    assert second.message.startswith("cannot be read: ")
    assert second.location.file == str(folder / "b.yaml")


def test_a_pipe_does_not_make_the_reader_wait(folder: Path) -> None:
    os.mkfifo(folder / "pipe.yaml")
    assert only_problem(folder).message == "is not a regular file"


def test_a_device(tmp_path: Path) -> None:
    assert only_problem(Path("/dev/zero")).message == "is not a regular file"


def test_a_folder_that_is_called_like_a_file(folder: Path) -> None:
    (folder / "team.yaml").mkdir()
    (folder / "team.yaml" / "x.yaml").write_text(OTHER)
    loaded = load(folder)
    assert loaded.topology is not None
    assert sorted(loaded.topology.topics) == ["t", "u"]


def test_an_unreadable_file(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(path: Path) -> bytes:
        raise PermissionError(13, "Permission denied", str(path))

    monkeypatch.setattr(Path, "read_bytes", refuse)
    problem = only_problem(folder)
    assert problem.message == "cannot be read: permission denied"
    assert problem.fix == "check the path and its permissions"


def test_an_unreadable_folder(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(path: Path) -> None:
        raise PermissionError(13, "Permission denied", str(path))

    monkeypatch.setattr(Path, "iterdir", refuse)
    assert only_problem(folder).message == "cannot be read: permission denied"


def test_a_huge_file(folder: Path) -> None:
    with (folder / "huge.yaml").open("wb") as stream:
        stream.truncate(300 * 2**20)
    problem = only_problem(folder)
    assert problem.message == "is larger than 256 MiB"
    assert problem.location.file == str(folder / "huge.yaml")


@pytest.mark.parametrize(
    ("include", "message"),
    [
        ("../outside.yaml", "leads out of the topology's folder"),
        ("/etc/passwd", "leads out of the topology's folder"),
        ("nowhere.yaml", "cannot be read: no such file or directory"),
        ("team", "is not a regular file"),
        ("x" * 3000, "cannot be read: file name too long"),
    ],
)
def test_an_include_that_cannot_be_read_is_shown_where_it_is_asked_for(
    folder: Path, tmp_path: Path, include: str, message: str
) -> None:
    (tmp_path / "outside.yaml").write_text(OTHER)
    (folder / "team").mkdir()
    (folder / "good.yaml").write_text(f"include:\n  - {include}\n{GOOD}")
    problem = only_problem(folder / "good.yaml")
    assert problem.message.endswith(message)
    assert (problem.location.line, problem.location.column) == (2, 5)


def test_files_that_include_each_other_are_read_once(folder: Path) -> None:
    (folder / "good.yaml").write_text(f"include: [other.yaml, good.yaml]\n{GOOD}")
    (folder / "other.yaml").write_text(f"include: [./good.yaml]\n{OTHER}")
    for path in (folder, folder / "good.yaml", folder / "other.yaml"):
        loaded = load(path)
        assert loaded.problems == ()
        assert len(loaded.files) == 2


def test_what_is_wrong_inside_an_included_file_is_shown_there(folder: Path) -> None:
    (folder / "good.yaml").write_text(f"include: [other.txt]\n{GOOD}")
    (folder / "other.txt").write_bytes(b"version: 1\nowner: caf\xe9\n")
    problem = only_problem(folder / "good.yaml")
    assert str(problem.location) == f"{folder / 'other.txt'}:2:11"


@pytest.mark.parametrize("schema", ["../outside.json", "/etc/passwd", "nowhere.json", "x" * 3000, "schemas", "a\\0b"])
def test_a_schema_that_cannot_be_read(folder: Path, tmp_path: Path, schema: str) -> None:
    (tmp_path / "outside.json").write_text("{}")
    (folder / "schemas").mkdir()
    text = f'version: 1\ntopics:\n  t: {{partitions: 1, replication: 1, value: {{format: json, schema: "{schema}"}}}}\n'
    (folder / "good.yaml").write_text(text)
    (problem,) = load(folder).problems
    assert problem.id in {"KT006", "KT003"}
    line = text.split("\n")[2]
    assert (problem.location.line, problem.location.column) == (3, line.index('"') + 1)


def test_the_end_of_a_name_counts_in_upper_and_lower_case(folder: Path) -> None:
    (folder / "C.YAML").write_text("version: 1\ntopcs: {}\n")
    (folder / "d.Yml").write_text("version: 1\ntopcs: {}\n")
    (folder / ".hidden.YAML").write_text("not: ours\n")
    assert [Path(found.location.file).name for found in load(folder).problems] == ["C.YAML", "d.Yml"]
