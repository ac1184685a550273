"""The examples run as they stand: the notebook's cells, and the function behind the Airflow and Dagster files."""

from __future__ import annotations

import ast
import importlib.util
import json
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING

import pytest

from kafka_topology.sample_records import produce_sample
from kafka_topology.topology import load

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

EXAMPLES = Path(__file__).resolve().parents[3] / "examples"
ORCHESTRATION = EXAMPLES / "orchestration"


@pytest.fixture
def topology_file(bootstrap: str, create_topic: Callable[..., str], tmp_path: Path) -> Path:
    name = create_topic(3)
    path = tmp_path / "topology.yaml"
    path.write_text(f"version: 1\ntopics:\n  {name}: {{partitions: 3, replication: 1, key: {{type: uuid}}}}\n")
    topology = load(path).topology
    assert topology is not None
    produce_sample(bootstrap, topology.topics[name], 300, {"misplaced": 4})
    return path


def test_the_notebook(
    spark: SparkSession, bootstrap: str, topology_file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("KAFKA_BOOTSTRAP", bootstrap)
    monkeypatch.setenv("TOPOLOGY", str(topology_file))
    notebook = json.loads((EXAMPLES / "notebook/records.ipynb").read_text())
    cells = ["".join(cell["source"]) for cell in notebook["cells"] if cell["cell_type"] == "code"]
    names: dict[str, object] = {}
    for cell in cells:
        exec(compile(cell, "records.ipynb", "exec"), names)  # noqa: S102 - our own cells
    misplaced = names["misplaced"]
    assert isinstance(misplaced, list)
    assert len(misplaced) == 4
    assert names["spark"] is spark
    assert all(not cell["outputs"] for cell in notebook["cells"] if cell["cell_type"] == "code")


def record_check() -> ModuleType:
    spec = importlib.util.spec_from_file_location("record_check", ORCHESTRATION / "record_check.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_nightly_task(spark: SparkSession, bootstrap: str, topology_file: Path, tmp_path: Path) -> None:
    module = record_check()
    client = tmp_path / "client.properties"
    client.write_text(f"bootstrap.servers={bootstrap}\n")
    report, state = tmp_path / "report.json", tmp_path / "state.json"
    arguments = {
        "topology_path": str(topology_file),
        "client_config": str(client),
        "report_file": str(report),
        "state_file": str(state),
    }
    with pytest.raises(module.RecordsBreakTheDeclaration, match=r"\(4\): see .*report\.json"):
        module.check_records(**arguments)
    assert json.loads(report.read_text())["complete"] is True
    # They were reported; the next night starts behind them.
    assert list(module.check_records(**arguments).values()) == [0]


@pytest.mark.parametrize("name", ["airflow_dag.py", "dagster_assets.py"])
def test_the_files_for_orchestrators_call_the_function_as_it_is(name: str) -> None:
    tree = ast.parse((ORCHESTRATION / name).read_text())
    (call,) = [
        node
        for node in ast.walk(tree)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "check_records"
    ]
    wanted = record_check().check_records.__code__
    parameters = wanted.co_varnames[: wanted.co_argcount]
    assert {keyword.arg for keyword in call.keywords} <= set(parameters)
    assert set(parameters[:4]) <= {keyword.arg for keyword in call.keywords}
