"""The JSON Schema that editors use."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jsonschema
import yaml
from click.testing import CliRunner

from kafka_topology.cli.main import main
from kafka_topology.topology.language.schema import json_schema, published_schema, schema_text

SHOP = Path(__file__).parents[3] / "data" / "shop" / "topology.yaml"


def test_it_is_valid_by_its_meta_schema() -> None:
    jsonschema.Draft202012Validator.check_schema(json_schema())


def test_the_published_copy_is_current() -> None:
    """If not, run `make generate`."""
    assert published_schema() == schema_text()


def test_every_field_is_explained() -> None:
    fields = list(_fields(json_schema(), ""))
    assert {"/properties/topics", "/$defs/topic/properties/partitions"} <= {path for path, _ in fields}
    assert [path for path, field in fields if not field.get("description")] == []


def test_every_mapping_has_a_title() -> None:
    mappings = [(path, part) for path, part in _objects(json_schema(), "") if "properties" in part]
    assert {"", "/$defs/topic"} <= {path for path, _ in mappings}
    assert [path for path, part in mappings if "title" not in part] == []


def test_defaults_are_stated() -> None:
    topic = json_schema()["$defs"]["topic"]["properties"]
    assert topic["visibility"]["default"] == "private"
    assert topic["deletion"]["default"] == "protected"
    assert topic["key"]["properties"]["partitioner"]["default"] == "murmur2"


def test_an_environment_needs_no_complete_resources_but_complete_list_items() -> None:
    definitions = json_schema()["$defs"]
    environment = definitions["environment"]["properties"]
    assert environment["producers"]["additionalProperties"] == {"$ref": "#/$defs/producerOverlay"}
    assert "required" not in definitions["producerOverlay"]
    assert "oneOf" not in definitions["consumerGroupOverlay"]
    assert environment["acls"]["items"] == {"$ref": "#/$defs/acl"}
    assert definitions["acl"]["required"] == ["principal", "operations"]


def test_a_topology_that_uses_every_field_is_valid() -> None:
    document = yaml.load(SHOP.read_text(encoding="utf-8"), Loader=yaml.BaseLoader)  # noqa: S506 - reads text only
    used = {path for path, _ in _written_fields(document, json_schema(), json_schema())}
    declared = {path for path, _ in _fields(json_schema(), "")}
    left_out = {path for path in declared - used if not path.startswith(("/$defs/environment", "/properties/include"))}
    assert {path for path in left_out if "Overlay" not in path and "/profile/" not in path} == {
        "/properties/cluster/properties/brokers/oneOf/1/items/properties/id",
        "/properties/cluster/properties/brokers/oneOf/1/items/properties/rack",
        "/properties/cluster/properties/brokers/oneOf/1/items/properties/disk",
    }, "write each field once into tests/data/shop/topology.yaml"


def test_the_command_prints_it() -> None:
    result = CliRunner().invoke(main, ["schema"])
    assert result.exit_code == 0
    assert json.loads(result.stdout) == json_schema()


def _objects(part: Any, path: str) -> Iterator[tuple[str, dict[str, Any]]]:
    if isinstance(part, dict):
        if part.get("type") == "object":
            yield path, part
        for name, value in part.items():
            yield from _objects(value, f"{path}/{name}")
    elif isinstance(part, list):
        for index, value in enumerate(part):
            yield from _objects(value, f"{path}/{index}")


def _fields(schema: Any, path: str) -> Iterator[tuple[str, dict[str, Any]]]:
    for where, part in _objects(schema, path):
        for name, field in part.get("properties", {}).items():
            yield f"{where}/properties/{name}", field


def _written_fields(
    value: Any, schema: dict[str, Any], root: dict[str, Any], path: str = ""
) -> Iterator[tuple[str, Any]]:
    """The paths in the schema of all fields that a document uses."""
    if "$ref" in schema:
        name = schema["$ref"].removeprefix("#/$defs/")
        schema, path = root["$defs"][name], f"/$defs/{name}"
    for index, form in enumerate(schema.get("oneOf", ())):
        if form.get("type") == {dict: "object", list: "array"}.get(type(value)):
            yield from _written_fields(value, form, root, f"{path}/oneOf/{index}")
    if isinstance(value, dict):
        for name, item in value.items():
            if name in schema.get("properties", {}):
                yield f"{path}/properties/{name}", item
                yield from _written_fields(item, schema["properties"][name], root, f"{path}/properties/{name}")
            elif isinstance(schema.get("additionalProperties"), dict):
                yield from _written_fields(item, schema["additionalProperties"], root, f"{path}/additionalProperties")
    elif isinstance(value, list) and "items" in schema:
        for item in value:
            yield from _written_fields(item, schema["items"], root, f"{path}/items")
