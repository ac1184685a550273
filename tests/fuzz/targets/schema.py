"""The JSON Schema, which editors use, and the loader accept and refuse the same documents.

A document is written as JSON, so that both see the same values. The schema cannot follow references, so the other
direction asks the decoder alone. What YAML decides before a schema sees it (`012`, `0x1F`, 30 February), and
what `forEach` and its placeholders say of each other, are listed in
tests/unit/topology/language/test_schema_agrees_with_decoder.py.
"""

from __future__ import annotations

import json
import re
import tempfile
from pathlib import Path
from typing import Any

import jsonschema
from hypothesis import example, given

from fuzz.texts import documents
from kafka_topology.topology import Finding, load
from kafka_topology.topology.language.schema import json_schema
from kafka_topology.topology.reading.loader import _decode
from kafka_topology.topology.reading.source import read_sources

_FOLDER = tempfile.TemporaryDirectory()
FILE = Path(_FOLDER.name) / "topology.yaml"
NOT_YAML = "KT001"  # JSON holds characters that YAML refuses, and an editor says so itself

# A schema cannot compare placeholders with the items of `forEach`, nor the items with each other.
OF_TEMPLATES = re.compile(
    "has a meaning only in a topic with `forEach`$|^the name has no placeholder|^the items differ in their variables"
    "|^the variable `.*` is not used in the topic$|has no value in the items of `forEach`$"
    "|is a duplicate; line .* already$|^this item is a duplicate",
    re.DOTALL,
)


def _matches_to_the_very_end(_: Any, pattern: str, instance: Any, __: Any) -> Any:
    """`$` as JavaScript reads it: Python's also matches before a last line break."""
    if isinstance(instance, str) and not re.search(re.sub(r"\$$", r"\\Z", pattern), instance):
        yield jsonschema.ValidationError(f"{instance!r} does not match {pattern}")


def _is_written_as_integer(_: Any, instance: Any) -> bool:
    """JSON Schema also takes `1.0`, which the loader refuses: one of the listed differences."""
    return isinstance(instance, int) and not isinstance(instance, bool)


VALIDATOR = jsonschema.validators.extend(
    jsonschema.Draft202012Validator,
    {"pattern": _matches_to_the_very_end},
    type_checker=jsonschema.Draft202012Validator.TYPE_CHECKER.redefine("integer", _is_written_as_integer),
)(json_schema())


@given(document=documents())
@example(document={"version": 1, "topics": {"t-${each}.events": {"partitions": 1, "replication": 1}}})
@example(document={"version": 1, "topics": {"t": {"forEach": ["a"], "partitions": 1, "replication": 1}}})
def fuzz_documents(document: Any) -> None:
    text = json.dumps(document, default=str, ensure_ascii=False)
    FILE.write_text(text, encoding="utf-8")
    refusals = [error.message for error in VALIDATOR.iter_errors(json.loads(text))]
    if load(FILE).topology is not None:
        assert refusals == []
    if not refusals:
        found: list[Finding] = []
        sources = read_sources(FILE, {})
        for file in sources.files:
            _decode(file, found, {})
        assert [each.message for each in found if not _is_listed(each)] == []


def _is_listed(finding: Finding) -> bool:
    """One of the listed differences."""
    return finding.id == NOT_YAML or OF_TEMPLATES.search(finding.message) is not None
