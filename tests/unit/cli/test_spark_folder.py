"""The folder of a run's Spark goes with the run; what a killed run leaves behind goes with the next one."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import pytest

pytest.importorskip("filelock")

from kafka_topology.cli.checking.spark_folder import remove_abandoned, spark_folder

HOLDS = """
import sys, time
from kafka_topology.cli.checking.spark_folder import spark_folder
with spark_folder() as folder:
    folder.log_file.write_text("starting")
    print(folder.path, flush=True)
    sys.stdin.read()
"""


@pytest.fixture(autouse=True)
def temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr(tempfile, "tempdir", None)
    return tmp_path


def aged(folder: Path) -> None:
    """As if it had been made an hour ago."""
    then = time.time() - 3600
    os.utime(folder / ".in-use", (then, then))


def test_nothing_stays_after_a_run_or_an_interruption(temporary: Path) -> None:
    with spark_folder() as folder:
        folder.log_file.write_text("a warning")
    with pytest.raises(KeyboardInterrupt), spark_folder() as folder:
        raise KeyboardInterrupt
    assert list(temporary.iterdir()) == []


def test_a_log_that_was_shown_stays_and_an_empty_one_does_not(temporary: Path) -> None:
    with spark_folder() as folder:
        folder.log_file.write_text("why it failed")
        folder.keep_log = True
    with spark_folder() as without:
        without.keep_log = True
    with spark_folder() as empty:
        empty.log_file.touch()
        empty.keep_log = True
    remove_abandoned(temporary)
    assert [each.name for each in temporary.iterdir()] == [folder.path.name]
    assert folder.log_file.read_text() == "why it failed"
    assert [each.name for each in folder.path.iterdir()] == ["spark.log"]


def test_the_folder_of_a_killed_run_is_removed_and_one_in_use_is_not(temporary: Path) -> None:
    command = [sys.executable, "-c", HOLDS]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        path = Path(process.stdout.readline().strip())
        aged(path)
        remove_abandoned(temporary)
        assert (path / "spark.log").exists()
        process.kill()
    assert (path / "spark.log").exists()
    with spark_folder() as folder:
        assert [each.name for each in temporary.iterdir()] == [folder.path.name]


def test_what_is_not_a_folder_of_a_run_stays(temporary: Path) -> None:
    other = temporary / "kafka-topology-spark-of-an-older-version"
    other.mkdir()
    (other / "spark.log").write_text("somebody may want it")
    link = temporary / "kafka-topology-spark-link"
    link.symlink_to(other)
    with spark_folder():
        pass
    assert (other / "spark.log").exists()
    assert link.is_symlink()
