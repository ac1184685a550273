"""A resource field by field, as files spell it: what to compare, and how to show it."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from ..topology.kafka.quantities import AS_RETENTION, quantity_of
from ..topology.language.document import DOCUMENT
from ..topology.language.structures import ListOf, MapOf
from ..topology.model.units import parse_integer
from .masking import masked

Path = tuple[str, ...]
# Maps with names that people choose: each entry counts as a field.
_OPEN = ("config", "groupConfig", "defaults", "ignore", "assign")
# Compared as a whole, although they have fields.
_WHOLE: tuple[Path, ...] = (("reset",),)
_MOST_CHARACTERS = 120


def written(section: str, resource: Any) -> Any:
    """One resource of a section, as plain data of the language."""
    kind = DOCUMENT.by_name[section].kind
    return (kind.item if isinstance(kind, MapOf | ListOf) else kind).dump(resource)


def fields_of(section: str, resource: Any) -> dict[Path, Any]:
    """Every field by its path. A list counts as one field."""
    return dict(_flat(written(section, resource), ()))


def changed_fields(section: str, before: Any, after: Any) -> Iterator[tuple[Path, Any, Any]]:
    """Fields that differ, with None for a field that is not set, in file order."""
    old, new = fields_of(section, before), fields_of(section, after)
    for path in (*old, *(path for path in new if path not in old)):
        if old.get(path) != new.get(path):
            yield path, old.get(path), new.get(path)


def _flat(value: Any, path: Path) -> Iterator[tuple[Path, Any]]:
    is_one = path in _WHOLE or (len(path) > 1 and path[0] in _OPEN)
    if isinstance(value, Mapping) and value and not is_one:
        for name, item in value.items():
            yield from _flat(item, (*path, str(name)))
    elif path:
        yield path, value


def shown(value: Any, name: str = "") -> str | None:
    """A value on one line, as people write it; None stays None."""
    if value is None:
        return None
    if isinstance(value, bool):
        text = "true" if value else "false"
    elif isinstance(value, list) and not any(isinstance(item, dict | list) for item in value):
        text = ", ".join(str(item) for item in value) or "none"
    elif isinstance(value, dict | list):
        text = json.dumps(value, ensure_ascii=False)
    else:
        text = with_unit(str(value), name)
    text = masked(" ".join(text.split()), name)
    return text if len(text) <= _MOST_CHARACTERS else text[: _MOST_CHARACTERS - 1] + "…"


def with_unit(text: str, name: str) -> str:
    number = parse_integer(text)
    quantity = quantity_of(name)
    if number is None or quantity is None:
        return text
    if number == AS_RETENTION and name.startswith("local."):
        return f"as {name.removeprefix('local.')}"
    if quantity.measure == "duration":
        return "no limit" if number == 2**63 - 1 else quantity.format(number)
    return "no limit" if number < 0 else quantity.format(number)


def dotted(path: Path) -> str:
    return ".".join(path)
