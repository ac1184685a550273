"""JSON files that others may have written or edited, held against their schemas.

A reader decides whether it takes a file. The schema says what is wrong in it and where, as a JSON path. Values are not
quoted: they may be secrets or keys of records.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from importlib import resources
from typing import TYPE_CHECKING, Any

from kafka_topology.topology.model.words import agreeing, named

if TYPE_CHECKING:
    from jsonschema import ValidationError

# By their paths inside the package.
BASELINE = "documents/baseline.schema.json"
PREVIEW = "documents/preview.schema.json"
STATE = "documents/state.schema.json"
CHECKS = "spark_checks/results/report.schema.json"
FINDINGS = "report/findings/findings.schema.json"

_TYPES = {
    "array": "a list",
    "boolean": "true or false",
    "integer": "a whole number",
    "null": "null",
    "number": "a number",
    "object": "an object",
    "string": "a text",
}


def mistake(document: Any, schema: str) -> str | None:
    """Where the document breaks its schema and how: `$.topics[0].records: expected a whole number, found a text`.

    None if it does not. Fields that the schema does not know are fine: later versions add some.
    """
    from jsonschema import Draft202012Validator  # noqa: PLC0415 - takes longer to load than most commands run
    from jsonschema.exceptions import best_match  # noqa: PLC0415

    held = json.loads((resources.files("kafka_topology") / schema).read_text(encoding="utf-8"))
    error = best_match(Draft202012Validator(_open(held)).iter_errors(document))
    return None if error is None else f"{error.json_path}: {_said(error)}"


def mistake_in(text: str, schema: str) -> str | None:
    """As `mistake`, for a file's text. Also says where it stops being JSON."""
    try:
        document = json.loads(text)
    except (ValueError, RecursionError) as error:
        return f"not JSON: {error}"
    return mistake(document, schema)


def _open(schema: Any) -> Any:
    if isinstance(schema, list):
        return [_open(each) for each in schema]
    if not isinstance(schema, Mapping):
        return schema
    return {name: _open(value) for name, value in schema.items() if (name, value) != ("additionalProperties", False)}


def _said(error: ValidationError) -> str:
    wanted: Any = error.validator_value
    held: Any = error.instance
    match error.validator:
        case "type":
            names = [wanted] if isinstance(wanted, str) else wanted
            return f"expected {' or '.join(_TYPES[name] for name in names)}, found {_found(held)}"
        case "required":
            missing = [f"`{name}`" for name in wanted if name not in held]
            return f"{named(missing)} {agreeing(len(missing), 'is', 'are')} missing"
        case "const":
            return f"expected {json.dumps(wanted)}"
        case "enum":
            return f"expected one of {', '.join(json.dumps(each) for each in wanted)}"
        case "minimum":
            return f"expected {wanted} or more"
        case "pattern":
            return f"expected a text that matches {wanted}"
    return f"breaks `{error.validator}` of the schema"


def _found(value: Any) -> str:
    # `bool` before `int`: in Python it is one.
    for kind, name in ((bool, "boolean"), (int, "integer"), (float, "number"), (str, "string"), (list, "array")):
        if isinstance(value, kind):
            return _TYPES[name]
    return _TYPES["null"] if value is None else _TYPES["object"]
