"""Edits of schemas: where they are shown, and that what cannot be compared does not pass unless somebody accepts it."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from gitted import repository_of

from kafka_topology.cli.main import main
from kafka_topology.topology.model.schema_files import changed_line, referred

OBJECT = '{"type": "object", "properties": {"a": %s}}'
UNJUDGED = {
    "unreadable": ('{"type": "object"}', "{nope", "the new schema: it is not valid JSON"),
    "oneOf": (OBJECT % '{"oneOf": [{"type": "string"}]}', OBJECT % '{"oneOf": [{"type": "null"}]}', "a: oneOf differs"),
    "not": (OBJECT % '{"not": {"const": 1}}', OBJECT % '{"not": {"const": 2}}', "a: not differs"),
    "if": (OBJECT % '{"if": {"const": 1}}', OBJECT % '{"if": {"const": 2}}', "a: if differs"),
    "patternProperties": ('{"patternProperties": {"x": {}}}', '{"patternProperties": {"y": {}}}', "patternProperties"),
}


def versions(folder: Path, schemas: tuple[str, str], declared: str = "", accept: str = "") -> tuple[str, str]:
    for name, schema, more in zip(("before", "after"), schemas, ("", accept), strict=True):
        (folder / name).mkdir(exist_ok=True)
        (folder / name / "s.json").write_text(schema)
        topic = f"{{partitions: 6, replication: 3, {declared} value: {{format: json, schema: s.json}}}}"
        (folder / name / "t.yaml").write_text(f"version: 1\ntopics:\n  a: {topic}\n{more}")
    return str(folder / "before"), str(folder / "after")


def run(*arguments: str) -> Result:
    result = CliRunner().invoke(main, ["diff", *arguments])
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    return result


@pytest.mark.parametrize("case", UNJUDGED)
@pytest.mark.parametrize("declared", ["", "compatibility: full,", "compatibility: forward,"])
def test_a_schema_that_cannot_be_compared_is_could_not_check(tmp_path, case, declared):
    before, after, reason = UNJUDGED[case]
    result = run(*versions(tmp_path, (before, after), declared), "--format", "json")
    told = json.loads(result.stdout)
    # An unreadable file is an error of its own.
    assert result.exit_code == (1 if case == "unreadable" else 3)
    assert [reason in each for each in told["couldNotCheck"]] == [True]
    assert [each["risk"] for each in told["changes"]] == ["needs care"]


@pytest.mark.parametrize("case", sorted(UNJUDGED.keys() - {"unreadable"}))
def test_nothing_is_left_to_check_if_the_topic_promises_nothing(tmp_path, case):
    assert run(*versions(tmp_path, UNJUDGED[case][:2], "compatibility: none,")).exit_code == 0


def test_a_person_can_accept_what_could_not_be_compared(tmp_path):
    before, after, _ = UNJUDGED["oneOf"]
    told = json.loads(run(*versions(tmp_path, (before, after)), "--format", "json").stdout)
    (name,) = {each["acceptAs"] for each in told["changes"]}
    assert re.search(r"edited, [0-9a-f]{12}", name)
    accept = f'accept:\n  - {{change: "{name}", reason: compared by hand, until: 2100-01-01}}\n'
    result = run(*versions(tmp_path, (before, after), accept=accept))
    assert result.exit_code == 0, result.stdout
    assert "accepted until 2100-01-01: compared by hand" in result.stdout


@pytest.mark.parametrize(
    ("old", "new", "line"),
    [
        ("{\n}", "{\n}", 2),
        ("{\n}", '{\n"type": "object"\n}', 2),
        ("a\nb\nc", "a\nb", 2),
        ("a", "a\nb", 2),
        ("a", "", 1),
        ("", "a", 1),
    ],
)
def test_the_line_of_an_edit(old, new, line):
    assert changed_line(old, new) == line


@pytest.mark.parametrize("inside", ["", "teams/"])
def test_an_edit_of_a_schema_is_shown_in_its_file(tmp_path, monkeypatch, inside):
    topic = "{partitions: 6, replication: 3, value: {format: json, schema: %s}}"
    path = "../schemas/s.json" if inside else "schemas/s.json"
    files = {
        f"{inside}t.yaml": f"version: 1\ntopics:\n  a: {topic % path}\n",
        "schemas/s.json": '{\n "type":\n "object"}\n',
    }
    made = repository_of(tmp_path / "r", files)
    monkeypatch.chdir(made.root)
    made.edit("schemas/s.json", ('"object"', '"string"'))
    told = made.told()
    (change,) = told["changes"]
    at = {"file": "topology/schemas/s.json", "line": 3, "column": 1}
    assert change["location"] == at
    (finding,) = [each for each in told["findings"] if each["rule"] == "KT807"]
    assert {name: finding["location"][name] for name in at} == at
    assert "file=topology/schemas/s.json,line=3" in made.review("--format", "github").stdout


def test_imports_are_found_wherever_they_stand() -> None:
    text = """syntax = "proto3"; import "a.proto"; import public 'b.proto';\nimport "google/protobuf/any.proto";"""
    assert list(referred("s/m.proto", text)) == ["s/a.proto", "s/b.proto", "s/google/protobuf/any.proto"]


def test_an_import_that_nobody_has_was_not_checked(tmp_path):
    before, after = versions(tmp_path, ("", ""))
    for folder, more in ((before, ""), (after, 'import "lost.proto"; import "google/protobuf/any.proto"; ')):
        declared = Path(folder, "t.yaml")
        declared.write_text(declared.read_text().replace("json, schema: s.json", "protobuf, schema: s.proto"))
        Path(folder, "s.proto").write_text(f'syntax = "proto3"; {more}message M {{ }}')
    result = run(before, after)
    assert (result.exit_code, "lost.proto, which it refers to and which was not read" in result.stdout) == (3, True)
    assert "any.proto" not in result.stdout
