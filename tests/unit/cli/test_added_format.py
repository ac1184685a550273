"""A format of another distribution: one file and one entry point, and every command with findings has it."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from kafka_topology.report.findings.formats import finding_formats
from kafka_topology.report.review.formats import review_formats

MODULE = """
from kafka_topology.report.formats import Format

FORMAT = Format(
    name="shout",
    description="Rule ids in capitals, for people far away.",
    render=lambda run: "".join(f"{finding.id}!\\n" for finding in run.findings) or "FINE!\\n",
)
REVIEW = Format(
    name="terse",
    description="The number of changes.",
    render=lambda presented: f"{len(presented.review.changes)}\\n",
)
CLASH = Format(name="json", description="Not ours.", render=lambda run: "")
NOT_A_FORMAT = object()
LEAVING = Format(name="leaving", description="Ends the program.", render=lambda run: exit(0))
"""
ENTRY_POINTS = """
[kafka_topology.formats]
shout = shouting:FORMAT
clash = shouting:CLASH
missing = shouting:MISSING
leaving = shouting:LEAVING
odd = shouting:NOT_A_FORMAT

[kafka_topology.review_formats]
terse = shouting:REVIEW
"""
TOPOLOGY = """\
version: 1
cluster: {brokers: 3}
topics:
  a: {partitions: 1, replication: 3, config: {min.insync.replicas: 3}}
"""


@pytest.fixture
def site(tmp_path: Path) -> Path:
    """A folder of packages with one more distribution installed in it."""
    folder = tmp_path / "site"
    metadata = folder / "shouting-1.0.dist-info"
    metadata.mkdir(parents=True)
    (folder / "shouting.py").write_text(MODULE)
    (metadata / "METADATA").write_text("Metadata-Version: 2.1\nName: shouting\nVersion: 1.0\n")
    (metadata / "entry_points.txt").write_text(ENTRY_POINTS)
    (tmp_path / "t.yaml").write_text(TOPOLOGY)
    return folder


def run(site: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, (str(site), os.environ.get("PYTHONPATH"))))}
    code = "from kafka_topology.cli.main import main; main()"
    return subprocess.run(
        [sys.executable, "-c", code, *arguments],
        capture_output=True,
        text=True,
        check=False,
        cwd=site.parent,
        env=environment,
    )


def test_validate_writes_it_to_stdout_and_to_a_file(site: Path) -> None:
    done = run(site, "validate", "t.yaml", "--rule", "KT101", "--format", "shout,json=found.json,shout=found.txt")
    assert (done.returncode, done.stdout) == (1, "KT101!\n"), done.stderr
    assert (site.parent / "found.txt").read_text() == "KT101!\n"


def test_a_format_that_ends_the_program_is_no_success(site: Path) -> None:
    done = run(site, "validate", "t.yaml", "--rule", "KT101", "--format", "leaving")
    assert (done.returncode, done.stdout) == (3, "")
    assert "SystemExit: 0" in done.stderr


def test_audit_writes_it_although_no_broker_answers(site: Path) -> None:
    arguments = ("--bootstrap", "127.0.0.1:1", "--timeout", "1", "--format", "shout")
    done = run(site, "audit", "t.yaml", *arguments)
    assert (done.returncode, done.stdout) == (3, "FINE!\n"), done.stderr


@pytest.mark.parametrize("command", ["validate", "audit"])
def test_the_help_lists_it(site: Path, command: str) -> None:
    names = sorted({*finding_formats().by_name, "leaving", "shout"} - {"text"})
    assert ", ".join(["text", *names]) in " ".join(run(site, command, "--help").stdout.split())


def test_a_wrong_name_lists_it(site: Path) -> None:
    assert "did you mean `shout`?" in run(site, "validate", "t.yaml", "--format", "shot").stderr


def test_a_format_of_reviews_is_added_in_the_same_way(site: Path) -> None:
    done = run(site, "diff", "t.yaml", "t.yaml", "--format", "terse")
    assert done.stdout == "0\n", done.stderr
    assert "terse" in run(site, "review", "--help").stdout


def test_a_broken_format_is_reported_and_leaves_the_others_in_use(site: Path) -> None:
    done = run(site, "validate", "t.yaml", "--rule", "KT101", "--format", "shout")
    assert done.stdout == "KT101!\n"
    assert "the output format shouting:NOT_A_FORMAT cannot be loaded: expected a Format, found a object" in done.stderr
    assert "the output format shouting:MISSING cannot be loaded: AttributeError" in done.stderr
    assert "the output format shouting:CLASH cannot be loaded: another format is called json" in done.stderr


def test_every_format_of_ours_says_what_it_is_for() -> None:
    for formats, known in ((finding_formats(), {"json", "sarif", "junit"}), (review_formats(), {"json", "markdown"})):
        first, *others = formats.by_name
        assert (first, others) == ("text", sorted(others))  # the first is the default
        assert known <= set(others)
    for found in (*finding_formats().by_name.values(), *review_formats().by_name.values()):
        assert found.description.endswith(".")
        assert found.is_for_terminals == (found.name == "text")
