"""`check` reports wrong usage before it asks Kafka or Spark."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from importlib.metadata import EntryPoint
from pathlib import Path

import pytest
from click.testing import CliRunner

from kafka_topology.cli.checking.progress import short
from kafka_topology.cli.commands.check import _exit_code, _moment
from kafka_topology.cli.main import main
from kafka_topology.cluster.live.transactions import OpenTransaction
from kafka_topology.spark_checks import registry
from kafka_topology.spark_checks.reading.hidden import Hidden
from kafka_topology.spark_checks.reading.ranges import Range
from kafka_topology.spark_checks.registry import GROUP, load_packs
from kafka_topology.spark_checks.results.report import CheckResult, Report, TopicReport
from kafka_topology.spark_checks.results.written import Written

TOPOLOGY = "version: 1\ntopics: {a: {partitions: 1, replication: 1}}\n"
NOW = datetime(2026, 3, 2, tzinfo=UTC)


def test_a_moment_or_a_duration() -> None:
    assert _moment("2026-03-01T12:00:00+02:00", NOW) == datetime(2026, 3, 1, 10, tzinfo=UTC)
    assert _moment("12h", NOW) == datetime(2026, 3, 1, 12, tzinfo=UTC)
    # Before the first record that could be: everything.
    assert _moment("9000000w", NOW) == datetime.fromtimestamp(0, UTC)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--since", "yesterday"], "`yesterday` is neither a time with its zone"),
        (["--since", "2026-03-01T12:00:00"], "neither a time with its zone"),
        (["--since", "forever"], "neither a time"),
        (["--seed", "1"], "--seed needs --sample"),
        (["--sample", "5"], "above 0 and up to 1, not 5"),
        (["--incremental", "s.json", "--sample", "0.1"], "--incremental skips no record"),
        (["--incremental", "none/s.json"], "there is no folder none"),
        (["--incremental", "broken.json"], "broken.json: it is not the state of an incremental check: restore it"),
        (["--format", "pdf"], "`pdf` is not a format"),
        (["--format", "json,junit"], "only one format can go to stdout"),
        (["--format", "json=a.json", "--output", "b.json"], "--output is for one format"),
        (["--remote", "http://x"], "is not of the form sc://HOST:PORT"),
        (["--violations", "t.yaml"], "t.yaml is a file: give a new folder"),
        (["--violations-format", "json"], "--violations-format needs --violations"),
        (["--spark-config", "x"], "write NAME=VALUE"),
        (["--spark-config", "x=1", "--spark-config", "x=2"], "x has two values; keep one"),
    ],
)
def test_wrong_usage(arguments: list[str], said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("t.yaml").write_text(TOPOLOGY)
    Path("broken.json").write_text('{"version": 1')
    done = CliRunner().invoke(main, ["check", "t.yaml", "--bootstrap", "127.0.0.1:1", "--timeout", "0.1", *arguments])
    assert done.exit_code == 2, done.output
    assert said in " ".join(done.output.replace("│", " ").split())


def test_checks_that_cannot_be_loaded_are_not_left_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    broken = load_packs([EntryPoint("acme", "no_such_module:checks", GROUP)])
    monkeypatch.setattr(registry, "installed_packs", lambda: broken)
    file = tmp_path / "t.yaml"
    file.write_text(TOPOLOGY)
    done = CliRunner().invoke(main, ["check", str(file), "--bootstrap", "127.0.0.1:1", "--timeout", "0.1"])
    assert done.exit_code == 3, done.output
    assert "checks of acme (no_such_module:checks) cannot be used: ModuleNotFoundError" in done.output


def test_numbers_of_the_bar_are_short() -> None:
    assert [short(n) for n in (0, 999, 1_000, 99_949, 123_456, 1_500_000, 2e9)] == [
        "0", "999", "1.0k", "99.9k", "123k", "1.5M", "2.0G",
    ]  # fmt: skip


OPEN = Hidden(Range(0, 5, 9), NOW, (OpenTransaction(1, 5, started=NOW, timeout=timedelta(minutes=1)),))
HANGS = Hidden(Range(0, 5, 9), NOW, (OpenTransaction(1, 5, started=NOW - timedelta(days=1)),))
FINE, WRONG = CheckResult("nulls", "exact", violations=0), CheckResult("nulls", "exact", violations=1)


@pytest.mark.parametrize(
    ("topic", "complete", "code"),
    [
        (TopicReport("a", 5, (), (FINE,)), True, 0),
        (TopicReport("a", 5, (), (WRONG,)), True, 1),
        (TopicReport("a", 5, (), (FINE,)), False, 3),
        (TopicReport("a", 5, (), (), unreadable="why"), True, 3),
        (TopicReport("a", 5, (), (FINE,), hidden=(OPEN,)), True, 3),
        (TopicReport("a", 5, (), (WRONG,), hidden=(OPEN,)), True, 1),
        (TopicReport("a", 5, (), (FINE,), hidden=(HANGS,)), True, 1),
    ],
)
def test_exit_codes(topic: TopicReport, complete: bool, code: int) -> None:
    assert _exit_code(Report((topic,), complete)) == code


def test_rows_that_were_lost_are_no_finding_of_the_records() -> None:
    """Whoever works on the rows must know that some are missing, whatever else was found."""
    written = Written("rows", "parquet", "7f", 2, "2 rows of 3")
    assert _exit_code(Report((TopicReport("a", 5, (), (WRONG,)),), written=written)) == 3
    assert _exit_code(Report((TopicReport("a", 5, (), (WRONG,)),), written=replace(written, problem=None))) == 1
