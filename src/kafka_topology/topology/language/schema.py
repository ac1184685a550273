"""The language as JSON Schema 2020-12, for editors and other tools.

Made from the declarations that also drive the decoder. A schema sees values after YAML has parsed them, so it cannot
express that `012` is no number, that names must be unique, or that references must exist.
"""

from __future__ import annotations

import json
from importlib.resources import files

from .document import DOCUMENT
from .fields import Json, SchemaScope

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
        "description": "Topics of a Kafka cluster, their keys, clients and access. Version 1.",
        "$defs": dict(sorted(scope.definitions.items())),
    }


def schema_text() -> str:
    """The schema as published with the package."""
    return json.dumps(json_schema(), indent=2, ensure_ascii=False) + "\n"


def published_schema() -> str:
    """The copy in the package, written by `make generate`."""
    return files(__package__).joinpath(FILE_NAME).read_text(encoding="utf-8")
