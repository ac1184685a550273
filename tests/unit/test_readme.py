"""The README's example and its output are real."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from click.testing import CliRunner

from kafka_topology.cli.main import main

README = Path(__file__).resolve().parents[2] / "README.md"


def test_the_first_example_gives_the_output_that_is_shown(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = README.read_text()
    example = re.search(r"```yaml\n(.*?)```", text, re.DOTALL)
    shown = re.search(r"\$ kafka-topology validate topology\.yaml\n(.*?)```", text, re.DOTALL)
    assert example is not None
    assert shown is not None
    (tmp_path / "topology.yaml").write_text(example[1])
    monkeypatch.chdir(tmp_path)
    output = CliRunner().invoke(main, ["validate", "topology.yaml"]).output
    assert output.split() == shown[1].split()  # the README is wrapped at 80 columns, as on a terminal
