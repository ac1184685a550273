"""The benchmark of a preflight measures whole preflights: nothing in its files makes one say no."""

from __future__ import annotations

import json

import preflight
import pytest

from kafka_topology.topology import load
from kafka_topology.topology.model.findings import Severity
from kafka_topology.validators import run

NAMES = [f"{preflight.PREFIX}-{number:05}" for number in range(3)]


@pytest.mark.parametrize("case", preflight.cases(NAMES), ids=lambda case: case.name)
def test_the_files_of_a_case_have_no_errors(case, tmp_path):
    for text in (case.deployed, case.declared):
        (tmp_path / "topology.yaml").write_text(text)
        topology = load(tmp_path / "topology.yaml").topology
        assert topology is not None
        assert not [finding for finding in run(topology).findings if finding.severity is Severity.ERROR]


def test_the_cases_differ_in_what_is_to_be_done():
    new, same, changed = preflight.cases(NAMES)
    assert "topics:\n" not in new.deployed
    assert same.deployed == same.declared == new.declared
    assert changed.deployed == same.declared != changed.declared


@pytest.mark.parametrize("answer", ["no", "could not check"])
def test_another_answer_than_yes_is_no_measurement(answer, tmp_path, monkeypatch):
    repository = preflight.Repository(tmp_path)
    monkeypatch.setattr(preflight.Repository, "seconds", lambda *_: 1.0)
    (tmp_path / "answer.json").write_text(json.dumps({"answer": answer}))
    with pytest.raises(SystemExit, match=answer):
        preflight.preflight(repository, "localhost:9092")
    (tmp_path / "answer.json").write_text(json.dumps({"answer": "yes"}))
    assert preflight.preflight(repository, "localhost:9092") == 1.0
