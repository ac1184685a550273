"""Times that librdkafka takes with a fraction of a millisecond."""

from __future__ import annotations

import json
from importlib.resources import files
from pathlib import Path

import jsonschema
import pytest

from kafka_topology.topology import load
from kafka_topology.topology.kafka.clients import libraries
from kafka_topology.topology.kafka.quantities import FRACTIONAL
from kafka_topology.topology.language.schema import json_schema
from kafka_topology.validators import run


def test_they_are_those_of_the_library() -> None:
    settings = json.loads((files(libraries) / "librdkafka.json").read_bytes())["settings"]
    assert {name for name, row in settings.items() if row["type"] == "float"} == FRACTIONAL


@pytest.mark.parametrize("name", sorted(FRACTIONAL))
@pytest.mark.parametrize(("library", "ids"), [("librdkafka", set()), ("java", {"KT417"})])
def test_only_the_java_client_refuses_a_fraction(name: str, library: str, ids: set[str], tmp_path: Path) -> None:
    config = "linger.ms" if library == "java" else name
    producers = {"p": {"topics": ["o"], "library": library, "config": {config: 0.5}}}
    document = {"version": 1, "topics": {"o": {"partitions": 6, "replication": 3}}, "producers": producers}
    jsonschema.validate(document, json_schema())
    (tmp_path / "topology.yaml").write_text(json.dumps(document))
    topology = load(tmp_path / "topology.yaml").topology
    assert topology is not None
    assert {each.id for each in run(topology).findings} & {"KT003", "KT417", "KT431"} == ids
