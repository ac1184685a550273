"""Files that others may have edited: what is wrong in them, where, and what to do."""

from __future__ import annotations

import json
from importlib import resources
from pathlib import Path

import pytest
from click.testing import CliRunner
from jsonschema import Draft202012Validator

from kafka_topology.baseline import BadBaseline, read_baseline, write_baseline
from kafka_topology.cli.main import main
from kafka_topology.documents import BASELINE, CHECKS, FINDINGS, PREVIEW, STATE, mistake, mistake_in
from kafka_topology.review.preview import BadPreview, read_preview
from kafka_topology.spark_checks.reading.state import State, TopicState

TOPOLOGY = """\
version: 1
topics:
  orders: {owner: a, partitions: 1, replication: 1}
"""
ENTRY = {"rule": "KT101", "resource": "topic a", "message": "m", "count": 1, "fingerprint": "f"}
TOPIC = {"id": "i", "next": {"0": 5}}


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "t.yaml").write_text(TOPOLOGY)
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize("schema", [BASELINE, CHECKS, FINDINGS, PREVIEW, STATE])
def test_the_schemas_are_schemas(schema: str) -> None:
    Draft202012Validator.check_schema(json.loads((resources.files("kafka_topology") / schema).read_text()))


def test_what_we_write_is_right(folder: Path) -> None:
    write_baseline(folder / "empty.json", ())
    assert mistake_in((folder / "empty.json").read_text(), BASELINE) is None
    CliRunner().invoke(main, ["validate", "t.yaml", "--baseline", "b.json", "--update-baseline"])
    baseline = json.loads((folder / "b.json").read_text())
    assert baseline["findings"]
    assert mistake(baseline, BASELINE) is None
    state = State("cluster", {"a.b": TopicState("id", {0: 5, 1: 0})}).to_json()
    assert mistake_in(state, STATE) is None
    found = CliRunner().invoke(main, ["validate", "t.yaml", "--format", "json"]).stdout
    assert mistake_in(found, FINDINGS) is None


@pytest.mark.parametrize(
    ("schema", "document", "said"),
    [
        (BASELINE, [], "$: expected an object, found a list"),
        (BASELINE, {"version": 1}, "$: `findings` is missing"),
        (BASELINE, {}, "$: `version` and `findings` are missing"),
        (BASELINE, {"version": 2, "findings": []}, "$.version: expected 1"),
        (
            BASELINE,
            {"version": 1, "findings": [ENTRY, {**ENTRY, "count": "2"}]},
            "$.findings[1].count: expected a whole number, found a text",
        ),
        (BASELINE, {"version": 1, "findings": [{**ENTRY, "count": 0}]}, "$.findings[0].count: expected 1 or more"),
        (BASELINE, {"version": 1, "findings": [{**ENTRY, "later": 1}], "more": 1}, None),
        (STATE, {"version": 1, "cluster": None, "topics": {}}, "$.cluster: expected a text, found null"),
        (
            STATE,
            {"version": 1, "cluster": "c", "topics": {"a.b": {**TOPIC, "next": {"0": True}}}},
            "$.topics['a.b'].next['0']: expected a whole number, found true or false",
        ),
        (
            STATE,
            {"version": 1, "cluster": "c", "topics": {"a": {**TOPIC, "next": {"x": 1}}}},
            "$.topics.a.next: expected a text that matches ^[0-9]+$",
        ),
        (PREVIEW, {"steps": [{}, {"op": 1.5}]}, "$.steps[1].op: expected a text, found a number"),
        (PREVIEW, {"steps": None, "diagnostics": [{"severity": "error"}]}, None),
    ],
)
def test_a_mistake_is_named_with_its_place(schema: str, document: object, said: str | None) -> None:
    assert mistake(document, schema) == said


def test_a_choice_is_listed(folder: Path) -> None:
    found = json.loads(CliRunner().invoke(main, ["validate", "t.yaml", "--format", "json"]).stdout)
    found["findings"][0]["severity"] = "awful"
    assert mistake(found, FINDINGS) == '$.findings[0].severity: expected one of "error", "warning", "advice"'


def test_values_are_not_quoted() -> None:
    assert "hunter2" not in str(mistake({"steps": [{"newState": {"inputs": "hunter2"}}]}, PREVIEW))


@pytest.mark.parametrize("text", ["", "{", "[" * 100_000])
def test_what_is_not_json_is_said(text: str, folder: Path) -> None:
    assert str(mistake_in(text, BASELINE)).startswith("not JSON: ")
    (folder / "b.json").write_text(text)
    with pytest.raises(BadBaseline, match="not JSON: "):
        read_baseline(folder / "b.json")
    with pytest.raises(BadPreview, match="not JSON: "):
        read_preview(text, {})


@pytest.mark.parametrize(
    ("arguments", "document", "said"),
    [
        (
            ["validate", "t.yaml", "--baseline"],
            {"version": 1, "findings": [{**ENTRY, "rule": None}]},
            (
                "not a baseline of version 1: $.findings[0].rule: expected a text, found null; restore it from git, "
                "or delete it and write a new one with --update-baseline"
            ),
        ),
        (
            ["check", "t.yaml", "--bootstrap", "127.0.0.1:1", "--incremental"],
            {"version": 1, "cluster": "c", "topics": {"a": {"id": "i", "next": {"0": -1}}}},
            "delete it to read everything again ($.topics.a.next['0']: expected 0 or more)",
        ),
        (
            ["report", "t.yaml", "--check"],
            {"version": 1, "complete": True, "topics": 1},
            "what `kafka-topology check --format json` writes ($.topics: expected a list, found a whole number)",
        ),
        (
            ["report", "t.yaml", "--audit"],
            {"version": 1, "findings": []},
            "pass the output of `kafka-topology audit --format json` ($: ",
        ),
    ],
)
def test_commands_say_what_is_wrong_where_and_how_to_fix_it(
    folder: Path, arguments: list[str], document: object, said: str
) -> None:
    (folder / "f.json").write_text(json.dumps(document))
    result = CliRunner().invoke(main, [*arguments, "f.json"])
    assert result.exit_code == 2
    assert said in " ".join(result.stderr.replace("\n", " ").split())


def test_parts_that_the_page_leaves_out_are_named(folder: Path) -> None:
    (folder / "f.json").write_text(json.dumps({"topics": ["what", {"topic": "orders", "results": []}]}))
    result = CliRunner().invoke(main, ["report", "t.yaml", "--check", "f.json"])
    assert result.exit_code == 0
    assert "f.json: the page leaves out 1 parts that it cannot read ($" in result.stderr
    assert "Write the file again with `kafka-topology check --format json`." in result.stderr
