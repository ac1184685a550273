"""The fields that an expression can ask for, by the model: one that no resource declares is still a field."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import is_dataclass
from functools import cache
from types import UnionType
from typing import Any, Union, get_args, get_origin, get_type_hints

from kafka_topology.topology.model.declared import (
    Cluster,
    ConsumerGroup,
    Partitioner,
    Producer,
    ShareGroup,
    StreamsApplication,
    Topic,
    User,
)

from .values import yaml_fields

_MODELS: dict[str, type] = {
    "topics": Topic,
    "producers": Producer,
    "consumerGroups": ConsumerGroup,
    "shareGroups": ShareGroup,
    "streams": StreamsApplication,
    "users": User,
    "cluster": Cluster,
}
_IN_CONFIG = {"retention": "retention.ms"}  # fields of the language that become settings
_QUOTED = re.compile(r"'[^']*'|\"[^\"]*\"")
_TESTED = r"\bhas\(\s*({})((?:\s*\.\s*[A-Za-z_]\w*)+)\s*\)"
Path = tuple[str, ...]


def unknown_in_has(section: str, variable: str, expression: str) -> Iterator[tuple[Path, str, tuple[str, ...]]]:
    """Each `has(…)` that no declaration can satisfy: its path, the step that is no field, and the fields there are."""
    for name, steps in re.findall(_TESTED.format(f"{variable}|cluster"), _QUOTED.sub("''", expression)):
        path = tuple(step.strip() for step in steps.split(".")[1:])
        fields = dict(_fields(_MODELS["cluster" if name == "cluster" else section]))
        fields |= dict.fromkeys(_MODELS) if section == name == "cluster" else {}
        for step in path:
            if step not in fields:
                yield (name, *path), step, tuple(fields)
                break
            held = fields[step]
            if held is None:
                break
            fields = dict(_fields(held))


def instead_of(field: str, variable: str) -> str:
    """What to write instead of a field that is a setting here; empty if it is none."""
    return f"use {variable}.config['{_IN_CONFIG[field]}']" if field in _IN_CONFIG else ""


def path_in(variable: str, field: str, expression: str) -> str:
    """The path to a field as an expression writes it, such as `topic.key.schema`."""
    found = re.search(rf"\b{variable}(?:\.\w+)*\.{re.escape(field)}\b", _QUOTED.sub("''", expression))
    return found[0] if found is not None else f"{variable}.{field}"


@cache
def field_names(section: str) -> frozenset[str]:
    """All names of fields, at any depth."""
    names: set[str] = set()
    waiting = [_MODELS[section]]
    while waiting:
        for name, held in _fields(waiting.pop()).items():
            names.add(name)
            if held is not None:
                waiting.append(held)
    return frozenset(names)


@cache
def _fields(model: type) -> dict[str, type | None]:
    """The fields of a class by their YAML names, each with the class of its value; None if that has no fields."""
    hints = get_type_hints(model)
    found = {name: _model_of(hints.get(attribute)) for attribute, name in yaml_fields(model)}
    added = [name for name, given in (("config", model is Cluster), ("principal", "principals" in found)) if given]
    return found | dict.fromkeys(added)


def _model_of(hint: Any) -> type | None:
    options = get_args(hint) if get_origin(hint) in (Union, UnionType) else (hint,)
    models = [each for each in options if isinstance(each, type) and is_dataclass(each) and each is not Partitioner]
    return models[0] if len(models) == 1 else None
