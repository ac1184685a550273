"""What every command has in common."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from kafka_topology.cli.main import COMMANDS, main


@pytest.mark.parametrize("name", sorted(COMMANDS))
def test_every_command_has_a_help_text_with_an_example(name: str) -> None:
    result = CliRunner().invoke(main, [name, "--help"])
    assert result.exit_code == 0
    assert "xample" in result.output


def test_an_unknown_command_is_wrong_usage() -> None:
    result = CliRunner().invoke(main, ["valdate"])
    assert result.exit_code == 2
    assert "Did you mean 'validate'?" in result.output


def test_a_fault_of_ours_is_no_finding_and_no_traceback(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    def fail(*_: object, **__: object) -> None:
        raise RuntimeError("something broke")

    (tmp_path / "a.yaml").write_text("version: 1\n")
    monkeypatch.delenv("KAFKA_TOPOLOGY_DEBUG", raising=False)
    monkeypatch.setattr("kafka_topology.cli.validate.load", fail)
    result = CliRunner().invoke(main, ["validate", str(tmp_path / "a.yaml")])
    assert result.exit_code == 3
    assert "RuntimeError: something broke" in result.output
    assert "Traceback" not in result.output


def test_start_up_imports_no_heavy_library() -> None:
    heavy = ("pulumi", "pyspark", "confluent_kafka", "rich", "yaml")
    code = f"import sys, kafka_topology.cli.main; print([m for m in {heavy} if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
