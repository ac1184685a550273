"""`kafka-topology fmt`."""

from __future__ import annotations

import pytest
from click.testing import CliRunner

from kafka_topology.cli.main import main

UNTIDY = "topics:\n    orders: {replication: 3, partitions: 6}  # why\nversion: 1\n"
TIDY = "version: 1\ntopics:\n  orders: {partitions: 6, replication: 3}  # why\n"


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "untidy.yaml").write_text(UNTIDY)
    (tmp_path / "tidy.yaml").write_text(TIDY.replace("orders", "payments"))
    return tmp_path


def run(*arguments: object):
    return CliRunner().invoke(main, ["fmt", *map(str, arguments)])


def test_formats_what_needs_it_and_names_it(folder):
    result = run(folder)
    assert (result.exit_code, result.stdout) == (0, f"{folder / 'untidy.yaml'}: formatted\n")
    assert (folder / "untidy.yaml").read_text() == TIDY
    assert sorted(path.name for path in folder.iterdir()) == ["tidy.yaml", "untidy.yaml"]


def test_a_second_run_changes_nothing(folder):
    run(folder)
    assert run(folder).stdout == ""
    assert run(folder, "--check").exit_code == 0


def test_check_lists_what_would_change_and_changes_nothing(folder):
    result = run(folder, "--check")
    assert (result.exit_code, result.stdout) == (1, f"{folder / 'untidy.yaml'}: would be formatted\n")
    assert (folder / "untidy.yaml").read_text() == UNTIDY


def test_diff_shows_the_change_and_changes_nothing(folder):
    result = run(folder / "untidy.yaml", "--diff")
    assert result.exit_code == 0
    assert "-    orders: {replication: 3, partitions: 6}  # why\n" in result.stdout
    assert "+  orders: {partitions: 6, replication: 3}  # why\n" in result.stdout
    assert (folder / "untidy.yaml").read_text() == UNTIDY


def test_line_ends_the_byte_order_mark_and_permissions_stay(folder):
    file = folder / "untidy.yaml"
    file.write_bytes(b"\xef\xbb\xbf" + UNTIDY.replace("\n", "\r\n").encode())
    file.chmod(0o640)
    run(file)
    assert file.read_bytes() == b"\xef\xbb\xbf" + TIDY.replace("\n", "\r\n").encode()
    assert file.stat().st_mode & 0o777 == 0o640


def test_a_file_that_cannot_be_formatted_is_left_as_it_is_and_the_others_are_formatted(folder):
    (folder / "broken.yaml").write_text("topics: ]\n")
    result = run(folder)
    assert result.exit_code == 2
    assert f"{folder / 'broken.yaml'}: not formatted: line 1: invalid YAML" in result.stderr
    assert (folder / "broken.yaml").read_text() == "topics: ]\n"
    assert (folder / "untidy.yaml").read_text() == TIDY


def test_a_path_that_does_not_exist_is_an_error(tmp_path):
    result = run(tmp_path / "nothing.yaml")
    assert result.exit_code == 2
    assert "cannot be read" in result.stderr
