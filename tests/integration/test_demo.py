"""The whole path as a new user meets it: YAML, validators, pulumi up, records, Spark, report."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from kafka_topology.topology import load

ROOT = Path(__file__).resolve().parents[2]
SCRIPTS = Path(sys.executable).parent


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[Path]:
    yield tmp_path / "demo"
    stop = [str(SCRIPTS / "kafka-topology"), "local", "stop", "--data", str(tmp_path / "demo/kafka"), "--delete"]
    subprocess.run(stop, check=True, capture_output=True)


def demo(folder: Path) -> subprocess.CompletedProcess[str]:
    cache = os.environ.get("KAFKA_TOPOLOGY_CACHE") or str(Path.home() / ".cache/kafka-topology")
    path = os.pathsep.join([str(SCRIPTS), os.environ["PATH"], f"{cache}/pulumi-3.259.0/bin"])
    command = [sys.executable, str(ROOT / "tools/demo.py"), str(folder)]
    return subprocess.run(command, capture_output=True, text=True, check=False, env={**os.environ, "PATH": path})


def of_disk(folder: Path) -> Iterator[str]:
    """What an audit says about the disk of this machine: smaller than declared, and nearly full."""
    topology = load(ROOT / "topology").topology
    assert topology is not None
    assert topology.cluster.disk is not None
    disk = shutil.disk_usage(folder / "kafka")
    if disk.total < topology.cluster.disk:
        yield "KTA533"
    if disk.free < disk.total / 10:
        yield "KTA532"


def test_the_demo_finds_exactly_the_planted_faults_also_the_second_time(folder: Path) -> None:
    for _ in range(2):
        done = demo(folder)
        assert done.returncode == 0, done.stdout + done.stderr
        assert "examples/broken/topology.yaml:10:28: error KT101" in done.stdout
        assert "exactly the planted faults were found" in done.stdout
        report = json.loads((folder / "report.json").read_text())
        violations = {result["check"]: result["violations"] for result in report["topics"][0]["results"]}
        assert (violations["placement"], violations["key-type"], violations["nulls"]) == (5, 3, 2)
        assert "10 violations found." in (folder / "report.html").read_text()
        audit = json.loads((folder / "audit.json").read_text())
        assert {finding["rule"] for finding in audit["findings"]} == {"KTA301", "KTA302", "KTA304", *of_disk(folder)}
        assert audit["couldNotCheck"] == []
    assert not (ROOT / "Pulumi.demo.yaml").exists()
