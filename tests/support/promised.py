"""What commands promise to write as JSON: their schemas, which refer to the schema of findings."""

from __future__ import annotations

import json
from pathlib import Path

from jsonschema import Draft202012Validator
from referencing import Registry
from referencing.jsonschema import DRAFT202012

from kafka_topology import report

FOLDER = Path(report.__file__).parent


def promised(what: str) -> Draft202012Validator:
    """Of `review` or `preflight`."""
    paths = (FOLDER / what / f"{what}.schema.json", FOLDER / "findings" / "findings.schema.json")
    held = {path.name: json.loads(path.read_text()) for path in paths}
    resources = [(name, DRAFT202012.create_resource(text)) for name, text in held.items()]
    return Draft202012Validator(held[f"{what}.schema.json"], registry=Registry().with_resources(resources))
