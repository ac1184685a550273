"""The JSON Schema and the decoder accept and refuse the same files: one table, judged by both.

The schema sees what an editor sees: YAML 1.2's core schema.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import jsonschema
import pytest
import yaml

from kafka_topology.topology import load
from kafka_topology.topology.language.schema import json_schema

CASES = yaml.safe_load((Path(__file__).parents[3] / "data" / "schema_cases.yaml").read_text(encoding="utf-8"))
CONFIG = "topics: {t: {partitions: 1, replication: 1, config: {@}}}"
KEY = "topics: {t: {partitions: 1, replication: 1, key: {@}}}"
VALUE = "topics: {t: {partitions: 1, replication: 1, value: {@}}}"

# What YAML has decided before a schema sees it, so that only the decoder can refuse it.
ONLY_THE_DECODER_REFUSES = [
    ("topics: {t: {replication: 1, partitions: @}}", ["012", "0x10", "0o14", "1.0", "1e3", "!!int 1"]),
    (CONFIG, ["a: no", "a: off", "a: 012", "a: 0x1F", "a: 1_000", "a: 1:30", "a: !!str x", "x.ms: 1.0", "x.ms: 012"]),
    (CONFIG, ["x.ms: '9999999999999999999'"]),
    (CONFIG, ["log.retention.hours: 90m"]),
    (VALUE, ["format: json, sample: .5"]),
    (KEY, ["type: int, history: [{partitions: 6, until: 2026-02-30T00:00:00Z}]"]),
    ("rules: {KT211: {max: @}}", ["012", "0x1F", "99999999999999999999", ".inf"]),
    ("topics: {@: {partitions: 1, replication: 1}}", ["~", "null", "!!str a"]),
    # Any text may hold a placeholder, and only `forEach` of the topic around it says whether it means something.
    ("topics: {@: {partitions: 1, replication: 1}}", ["'t-${each}.events'"]),
    (CONFIG, ["a: '${each}'"]),
    ("topics: {'t-${each}': {forEach: @, partitions: 1, replication: 1}}", ["[{a: b}]", "[{a: b}, {c: d}]"]),
    ("topics: {@: {forEach: [a], partitions: 1, replication: 1}}", ["t", "'t-${each.b}'"]),
    ("topics: {'t-${each.a}': {forEach: @, partitions: 1, replication: 1}}", ["[{a: b, c: d}]"]),
]


def _cases(accepted: bool) -> list[Any]:
    return [
        pytest.param(case["template"].replace("@", value), id=f"{field}: {value}")
        for field, case in CASES.items()
        for value in case["accepted" if accepted else "refused"]
    ]


def _file(text: str) -> str:
    return text + "\n" if re.search(r"^version:", text, re.MULTILINE) or text.startswith("- ") else _with_version(text)


def _with_version(text: str) -> str:
    return "version: 1\n" if text == "{}" else f"version: 1\n{text}\n"


def test_the_table_is_large_enough() -> None:
    assert len(_cases(accepted=True)) + len(_cases(accepted=False)) >= 400


@pytest.mark.parametrize("text", _cases(accepted=True))
def test_both_accept(text: str, tmp_path: Path) -> None:
    assert _decoder_says(_file(text), tmp_path) == []
    assert _schema_says(_file(text)) == []


@pytest.mark.parametrize("text", _cases(accepted=False))
def test_both_refuse(text: str, tmp_path: Path) -> None:
    assert _decoder_says(_file(text), tmp_path) != []
    assert _schema_says(_file(text)) != []


@pytest.mark.parametrize(
    "text", [template.replace("@", value) for template, values in ONLY_THE_DECODER_REFUSES for value in values]
)
def test_only_the_decoder_can_refuse(text: str, tmp_path: Path) -> None:
    assert _decoder_says(_file(text), tmp_path) != []
    assert _schema_says(_file(text)) == []


def _decoder_says(text: str, folder: Path) -> list[str]:
    file = folder / "topology.yaml"
    file.write_text(text, encoding="utf-8")
    return [problem.message for problem in load(file).problems]


def _schema_says(text: str) -> list[str]:
    # Safe: the loader is PyYAML's safe one with other rules for plain scalars.
    document = yaml.load(text, Loader=Yaml12Loader)  # noqa: S506
    return [error.message for error in VALIDATOR.iter_errors(document)]


def _matches_to_the_very_end(_: Any, pattern: str, instance: Any, __: Any) -> Any:
    """`$` as JavaScript reads it: Python's also matches before a last line break."""
    if isinstance(instance, str) and not re.search(re.sub(r"\$$", r"\\Z", pattern), instance):
        yield jsonschema.ValidationError(f"{instance!r} does not match {pattern}")


VALIDATOR = jsonschema.validators.extend(jsonschema.Draft202012Validator, {"pattern": _matches_to_the_very_end})(
    json_schema()
)


class Yaml12Loader(yaml.SafeLoader):
    """YAML 1.2's core schema, as editors read it. Names are text, as in JSON."""

    yaml_implicit_resolvers: dict[str, Any] = {}  # noqa: RUF012 - PyYAML's name and shape

    def construct_mapping(self, node: Any, deep: bool = False) -> dict[Any, Any]:
        for key, _ in node.value:
            if key.tag != "tag:yaml.org,2002:merge":
                key.tag = "tag:yaml.org,2002:str"
        return super().construct_mapping(node, deep)


def _integer(_: Any, node: yaml.ScalarNode) -> int:
    text: str = node.value
    return int(text, 0) if text.startswith(("0x", "0o")) else int(text)


def _float(_: Any, node: yaml.ScalarNode) -> float:
    return float(re.sub(r"\.(inf|nan)$", r"\1", node.value, flags=re.IGNORECASE))


for tag, pattern, first in (
    ("null", r"(?:~|null|Null|NULL|)", "~nN\0"),
    ("bool", r"(?:true|True|TRUE|false|False|FALSE)", "tTfF"),
    ("int", r"(?:[-+]?[0-9]+|0o[0-7]+|0x[0-9a-fA-F]+)", "-+0123456789"),
    ("float", r"(?:[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?|[-+]?\.inf|\.nan)", "-+.0123456789"),
    ("merge", r"<<", "<"),
):
    Yaml12Loader.add_implicit_resolver(
        f"tag:yaml.org,2002:{tag}",
        re.compile(f"^{pattern}$"),
        [*first.replace("\0", ""), *([""] if tag == "null" else [])],
    )
Yaml12Loader.add_constructor("tag:yaml.org,2002:int", _integer)
Yaml12Loader.add_constructor("tag:yaml.org,2002:float", _float)
