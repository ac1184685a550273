"""The language as JSON Schema 2020-12, for editors and other tools.

Written from the declarations that also drive the decoder. What YAML has decided before a schema sees a value cannot be
said here: that `012` is no number, that a name must not come twice, and what refers to something that does not exist.
"""

from __future__ import annotations

import json
from importlib.resources import files

from .fields import Json, SchemaScope
from .language import DOCUMENT

SCHEMA_ID = "urn:kafka-topology:topology:v1"
FILE_NAME = "topology.schema.json"


def json_schema() -> Json:
    scope = SchemaScope()
    body = DOCUMENT.body_schema(scope)
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": SCHEMA_ID,
        **body,
        "title": "A Kafka topology",
        "description": "What a Kafka cluster holds and who uses it: topics, keys, clients, access. Version 1.",
        "$defs": dict(sorted(scope.definitions.items())),
    }


def schema_text() -> str:
    """The schema as the file that is published with the package."""
    return json.dumps(json_schema(), indent=2, ensure_ascii=False) + "\n"


def published_schema() -> str:
    """The copy in the package; `python -m kafka_topology.topology.schema` prints what it should be."""
    return files(__package__).joinpath(FILE_NAME).read_text(encoding="utf-8")


if __name__ == "__main__":
    print(schema_text(), end="")
