"""The state file of an incremental check: one run at a time, and no file without something to continue from."""

from __future__ import annotations

from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from kafka_topology.cli.checking.state_file import held_alone, read_state, remember
from kafka_topology.cli.main import main
from kafka_topology.spark_checks.reading.state import State, TopicState

TOPOLOGY = "version: 1\ntopics: {a: {partitions: 1, replication: 1}}\n"
STATE = State("cluster", {"a": TopicState("id", {0: 5})})


def test_a_second_check_with_the_same_file_is_refused_at_once(tmp_path: Path) -> None:
    file, state, link = tmp_path / "t.yaml", tmp_path / "state.json", tmp_path / "link.json"
    file.write_text(TOPOLOGY)
    link.symlink_to(state)
    arguments = ["check", str(file), "--bootstrap", "127.0.0.1:1", "--timeout", "0.1", "--incremental"]
    with held_alone(state):
        for same in (state, link):
            done = CliRunner().invoke(main, [*arguments, str(same)])
            assert done.exit_code == 3, done.output
            assert f"{same}: another check is using this state file" in done.output
        other = CliRunner().invoke(main, [*arguments, str(tmp_path / "other.json")])
        assert "another check" not in other.output
    # The next one can have it: it gets as far as asking Kafka.
    after = CliRunner().invoke(main, [*arguments, str(state)])
    assert "another check" not in after.output
    assert not state.exists()


def test_a_folder_that_cannot_be_written_is_refused_before_anything_is_read(tmp_path: Path) -> None:
    locked = tmp_path / "locked"
    locked.mkdir()
    (locked / ".s.json.lock").mkdir()  # no lock file can be made there
    with pytest.raises(click.BadParameter, match=r"s\.json"), held_alone(locked / "s.json"):
        pass


def test_nothing_is_written_until_a_topic_was_finished(tmp_path: Path) -> None:
    file = tmp_path / "state.json"
    remember(file, State())
    assert not file.exists()
    assert read_state(file) == State()
    remember(file, STATE)
    assert read_state(file) == STATE
    assert list(tmp_path.iterdir()) == [file]
