"""The schema that the engine and the SDK generators read: `schema.json` beside this module."""

from __future__ import annotations

import json
from importlib.resources import files
from typing import Any

from kafka_topology import __version__


def schema() -> dict[str, Any]:
    text = files(__package__ or "").joinpath("schema.json").read_text(encoding="utf-8")
    document: dict[str, Any] = json.loads(text)
    return {**document, "version": __version__}


def schema_text() -> str:
    return json.dumps(schema())
