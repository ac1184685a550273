"""Rules about a live cluster, read from a file: listing, setting or suppressing them needs no code that finds them."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import asdict
from importlib import resources
from typing import Any

from kafka_topology.topology.model.findings import Severity

from .rule import Option, Rule, found_elsewhere

FILE = "rules.json"
_FIELDS = ("id", "name", "summary", "why", "fix", "found_by", "requirements")


def recorded(rules: Iterable[Rule]) -> str:
    """The text of the file for rules whose findings come from elsewhere."""
    held = [
        {name: getattr(rule, name) for name in _FIELDS}
        | {"severity": rule.severity.value, "options": [asdict(option) for option in rule.options]}
        for rule in rules
    ]
    return json.dumps(held, indent=1, ensure_ascii=False) + "\n"


def read_recorded(package: str) -> tuple[Rule, ...]:
    """The rules in the file of a package, in its order."""
    held = json.loads((resources.files(package) / FILE).read_text(encoding="utf-8"))
    return tuple(
        Rule(
            **{name: row[name] for name in _FIELDS if name != "requirements"},
            severity=Severity(row["severity"]),
            check=found_elsewhere,
            good=(),
            bad=(),
            options=tuple(_option(option) for option in row["options"]),
            requirements=tuple(row["requirements"]),
        )
        for row in held
    )


def _option(row: dict[str, Any]) -> Option:
    default = row["default"]
    return Option(**{**row, "default": tuple(default) if isinstance(default, list) else default})
