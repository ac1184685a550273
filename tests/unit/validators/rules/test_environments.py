"""What an environment changes, and what the rules then say."""

from __future__ import annotations

from pathlib import Path

from kafka_topology.topology import load
from kafka_topology.validators import validate


def found(folder: Path, rule: str, text: str, environment: str | None = None) -> list[str]:
    (folder / "topology.yaml").write_text(f"version: 1\n{text}")
    loaded = load(folder, environment)
    assert loaded.topology is not None, [problem.message for problem in loaded.problems]
    return [finding.message for finding in validate(loaded.topology) if finding.id == rule]


def test_an_entry_of_the_ownership_is_used_if_any_environment_uses_it(tmp_path: Path) -> None:
    text = (
        "ownership: {topics: [shop., test., tset.]}\ntopics: {shop.a: {partitions: 6, replication: 3}}\n"
        "environments:\n  dev: {topics: {test.a: {partitions: 1, replication: 1}}}\n  prod: {}\n"
    )
    for environment in (None, "dev", "prod"):
        (message,) = found(tmp_path, "KT015", text, environment)
        assert message.startswith("ownership.topics: no topic matches tset.")


def test_an_environment_may_turn_tiering_off(tmp_path: Path) -> None:
    tiered = "config: {remote.storage.enable: true, local.retention.ms: 1d}"
    text = f"topics: {{a: {{partitions: 6, replication: 3, retention: 30d, {tiered}}}}}\nenvironments:\n  dev:\n"
    off = "    topics: {a: {config: {remote.storage.enable: false}}}\n"
    assert found(tmp_path, "KT316", text + off, "dev") == []
    # What the environment itself adds must fit.
    (message,) = found(
        tmp_path,
        "KT316",
        "topics: {a: {partitions: 6, replication: 3}}\nenvironments:\n  dev:\n"
        "    topics: {a: {config: {local.retention.ms: 1d}}}\n",
        "dev",
    )
    assert "has no effect, because remote.storage.enable is not true" in message
