"""The example in Pulumi YAML fits the schema: its language host is not among those that the tests have."""

from __future__ import annotations

import copy
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import yaml

from kafka_topology.provider.plugin.schema import schema
from kafka_topology.topology import load

EXAMPLE = Path(__file__).parents[4] / "examples" / "pulumi-yaml"
OPTIONS = {"provider", "dependsOn", "deleteBeforeReplace", "protect", "parent", "version", "customTimeouts"}
PROVIDER = "pulumi:providers:kafka-topology"
TYPES = {"string": str, "integer": int, "number": (int, float), "boolean": bool}
REFERENCE = re.compile(r"\$\{([^}]+)\}")


def mistakes(program: Mapping[str, Any]) -> Iterator[str]:
    """What the engine or the plugin would refuse in a program."""
    document = schema()
    described = {**document["resources"], PROVIDER: document["provider"]}
    outputs = {
        name: {"id", "urn", *described.get(resource["type"], {}).get("properties", ())}
        for name, resource in program["resources"].items()
    }
    known = (
        set(program["config"]) | set(outputs) | {f"{name}.{each}" for name, held in outputs.items() for each in held}
    )
    for name, resource in program["resources"].items():
        kind = described.get(resource["type"])
        if kind is None:
            yield f"{name}: no resource {resource['type']}"
            continue
        yield from (f"{name}: no option {option}" for option in set(resource.get("options", ())) - OPTIONS)
        properties = resource["properties"]
        yield from (f"{name}: needs {wanted}" for wanted in set(kind.get("requiredInputs", ())) - set(properties))
        yield from _values(name, properties, kind["inputProperties"], document)
    for reference in REFERENCE.findall(yaml.safe_dump(dict(program), width=1000)):
        if reference not in known:
            yield f"nothing is called {reference}"


def _values(
    at: str, values: Mapping[str, Any], wanted: Mapping[str, Any], document: Mapping[str, Any]
) -> Iterator[str]:
    for key, value in values.items():
        if key not in wanted:
            yield f"{at}: no input {key}"
        else:
            yield from _value(f"{at}.{key}", value, wanted[key], document)


def _value(at: str, value: Any, wanted: Mapping[str, Any], document: Mapping[str, Any]) -> Iterator[str]:
    if isinstance(value, str) and REFERENCE.fullmatch(value):
        return
    if "$ref" in wanted:
        described = document["types"][wanted["$ref"].removeprefix("#/types/")]
        yield from _values(at, value, described["properties"], document)
    elif wanted["type"] == "array":
        for item in value:
            yield from _value(at, item, wanted["items"], document)
    elif wanted["type"] == "object":
        for key, item in value.items():
            yield from _value(f"{at}.{key}", item, wanted["additionalProperties"], document)
    elif not isinstance(value, TYPES[wanted["type"]]):
        yield f"{at}: expected {wanted['type']}, found {value!r}"


def program() -> dict[str, Any]:
    read: dict[str, Any] = yaml.safe_load((EXAMPLE / "Pulumi.yaml").read_text())
    return read


def test_the_example_fits_the_schema() -> None:
    assert program()["runtime"] == "yaml"
    assert list(mistakes(program())) == []


def test_its_topology_is_there() -> None:
    assert load(EXAMPLE / program()["resources"]["shop"]["properties"]["path"]).topology is not None


def test_mistakes_are_found() -> None:
    wrong = copy.deepcopy(program())
    resources = wrong["resources"]
    resources["returns"]["properties"] |= {"partitions": "six", "partition": 1, "config": {"min.insync.replicas": 2}}
    del resources["returns"]["properties"]["replication"]
    resources["shop"]["type"] = "kafka-topology:index:Topologie"
    resources["main"]["options"] = {"deleteBefore": True}
    wrong["outputs"]["digest"] = "${shop.sum}"
    assert set(mistakes(wrong)) == {
        "returns.partitions: expected integer, found 'six'",
        "returns: no input partition",
        "returns.config.min.insync.replicas: expected string, found 2",
        "returns: needs replication",
        "shop: no resource kafka-topology:index:Topologie",
        "main: no option deleteBefore",
        "nothing is called shop.sum",
    }
