"""The import contracts say what the architecture promises. `make check` runs them; here is what they must cover."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = ROOT / "src" / "kafka_topology"
MODULES = [path for path in PACKAGE.iterdir() if (path / "__init__.py").is_file() or path.suffix == ".py"]
ROOMS = {path.stem for path in MODULES} - {"__init__"}
CONTRACTS = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"]["contracts"]


@pytest.mark.parametrize(("room", "allowed"), [("topology", set()), ("cluster", {"topology"})])
def test_a_room_at_the_bottom_is_kept_from_every_other(room: str, allowed: set[str]) -> None:
    forbidden = {
        module.removeprefix("kafka_topology.")
        for contract in CONTRACTS
        if contract.get("source_modules") == [f"kafka_topology.{room}"]
        for module in contract["forbidden_modules"]
    }
    assert ROOMS - {room} - allowed <= forbidden


def test_only_the_cluster_and_the_sample_producer_use_a_kafka_client() -> None:
    (contract,) = [each for each in CONTRACTS if each.get("forbidden_modules") == ["confluent_kafka", "kafka"]]
    assert contract["source_modules"] == ["kafka_topology"]
    assert {line.split(" -> ")[0] for line in contract["ignore_imports"]} == {
        "kafka_topology.cluster.**",
        "kafka_topology.sample_records",
    }
