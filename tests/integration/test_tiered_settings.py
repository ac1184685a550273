"""KT316 against the class with which Kafka's brokers accept or refuse the settings of a topic."""

from __future__ import annotations

import subprocess
from itertools import product
from pathlib import Path

from kafka_topology.toolchain import ensure_kafka
from kafka_topology.topology import load
from kafka_topology.topology.model.findings import Severity
from kafka_topology.validators import run

SOURCE = Path(__file__).parents[1] / "support" / "TopicSettings.java"

CHOICES = {
    "remote.storage.enable": ("true", "false"),
    "cleanup.policy": ("compact,delete", "", None),
    "retention.ms": ("1000", "-1"),
    "local.retention.ms": ("-2", "-1", "1000", "2000"),
    "retention.bytes": ("1000", "-1"),
    "local.retention.bytes": ("-1", "500", "2000", None),
    "remote.log.copy.disable": ("true", None),
}
TOPICS = {
    f"t{number}": {name: value for name, value in zip(CHOICES, values, strict=True) if value is not None}
    for number, values in enumerate(product(*CHOICES.values()))
}


def refused_by_kafka() -> dict[bool, set[str]]:
    """The topics that Kafka refuses on brokers with and without tiered storage."""
    asked = [(tiered, name) for tiered in (True, False) for name in TOPICS]
    lines = [
        " ".join([str(tiered).lower(), *(f"{key}={value}" for key, value in TOPICS[name].items())])
        for tiered, name in asked
    ]
    command = ["java", "-XX:TieredStopAtLevel=1", "-cp", f"{ensure_kafka()[0].parent}/*", str(SOURCE)]
    done = subprocess.run(command, input="\n".join(lines), capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr
    refused: dict[bool, set[str]] = {True: set(), False: set()}
    for (tiered, name), reason in zip(asked, done.stdout.splitlines(), strict=True):
        if reason:
            refused[tiered].add(name)
    return refused


def reported(folder: Path, *, tiered: bool) -> set[str]:
    lines = [
        "version: 1",
        f"cluster: {{defaults: {{remote.log.storage.system.enable: {str(tiered).lower()}}}}}",
        "topics:",
    ]
    for name, settings in TOPICS.items():
        config = ", ".join(f'{key}: "{value}"' for key, value in settings.items())
        lines.append(f"  {name}: {{partitions: 1, replication: 3, config: {{{config}}}}}")
    file = folder / "topology.yaml"
    file.write_text("\n".join(lines) + "\n")
    loaded = load(file)
    assert loaded.topology is not None
    findings = run(loaded.topology, select=lambda rule: rule == "KT316").findings
    return {finding.resource for finding in findings if finding.severity is Severity.ERROR}


def test_the_rule_reports_exactly_what_kafka_refuses(tmp_path: Path) -> None:
    for tiered, refused in refused_by_kafka().items():
        found = reported(tmp_path, tiered=tiered)
        assert len(refused) > 100
        assert {name: TOPICS[name] for name in refused ^ found} == {}
