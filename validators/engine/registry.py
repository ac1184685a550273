"""Finds the rules, built-in ones and those of installed rule packs, in the same way.

A distribution offers rules through an entry point in the group `kafka_topology.rules`, which names a function that
returns them. Ours are `kafka_topology.validators.engine.registry:builtin_rules` and, for the findings of audits and
preflights, `kafka_topology.audit.rules:audit_rules` and `kafka_topology.preflight.rules:preflight_rules`.
"""

from __future__ import annotations

import pkgutil
import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from importlib.metadata import EntryPoint, entry_points

from kafka_topology.topology.model.outside import described, outside_code
from kafka_topology.topology.reading.collector import many_new_objects

from .. import rules as rules_package
from .naming import is_own
from .rule import Rule

GROUP = "kafka_topology.rules"
_OWN_PACKS = {
    "builtin": "kafka_topology.validators.engine.registry:builtin_rules",
    "audit": "kafka_topology.audit.rules:audit_rules",
    "preflight": "kafka_topology.preflight.rules:preflight_rules",
}
_ID = re.compile(r"KT[0-9]{3}|[A-Z][A-Z0-9]*-?[0-9]+")


@dataclass(frozen=True, slots=True)
class BrokenPack:
    """A rule pack that cannot be used, and why."""

    name: str
    reason: str


@dataclass(frozen=True, slots=True)
class RulePacks:
    """All installed rules, sorted by id, and the packs that could not be loaded."""

    rules: tuple[Rule, ...]
    broken: tuple[BrokenPack, ...] = ()


@cache
def builtin_rules() -> tuple[Rule, ...]:
    """All built-in rules, sorted by id: one module each, in the folders of `validators/rules`."""
    modules = pkgutil.walk_packages(rules_package.__path__, f"{rules_package.__name__}.")
    found = [import_module(module.name).RULE for module in modules if not module.ispkg]
    return tuple(sorted(found, key=lambda rule: rule.id))


def retired_ids(rules: Iterable[Rule]) -> dict[str, str]:
    """Ids that no rule has any more, with the id of the rule that each became a part of."""
    return {old: rule.id for rule in rules for old in rule.replaces}


@cache
def installed_rules() -> RulePacks:
    """The rules of all installed packs, read once per process."""
    with many_new_objects():
        return load_packs(entry_points(group=GROUP))


def load_packs(points: Iterable[EntryPoint]) -> RulePacks:
    """The rules of these packs. A broken pack does not affect the others."""
    found: dict[str, Rule] = {}
    broken: list[BrokenPack] = []
    # Ours come first, so that no other pack can replace them.
    ordered = sorted(points, key=lambda point: (not _is_ours(point), point.name, point.value))
    if not any(_is_ours(point) for point in ordered):
        found.update((rule.id, rule) for rule in builtin_rules())  # used from a checkout that is not installed
    for point in ordered:
        name = f"{point.name} ({point.value})"
        try:
            with outside_code():
                rules = tuple(point.load()())
        except Exception as error:  # noqa: BLE001 - the code of a pack may fail in any way
            broken.append(BrokenPack(name, described(error)))
            continue
        wrong = _problem(rules, found, ours=_is_ours(point))
        if wrong:
            broken.append(BrokenPack(name, wrong))
        else:
            found.update((rule.id, rule) for rule in rules)
    return RulePacks(tuple(sorted(found.values(), key=lambda rule: rule.id)), tuple(broken))


def _is_ours(point: EntryPoint) -> bool:
    return _OWN_PACKS.get(point.name) == point.value


def _problem(rules: tuple[object, ...], found: dict[str, Rule], *, ours: bool) -> str:
    ids: set[str] = set()
    for rule in rules:
        if not isinstance(rule, Rule):
            return f"it offers a {type(rule).__name__}, which is not a Rule"
        if not _ID.fullmatch(rule.id):
            return f"`{rule.id}` is not the id of a rule; expected one such as KT901 or ACME-1"
        if not ours and is_own(rule.id):
            return f"{rule.id} is one of the built-in rules' own ids; expected KT900 to KT999, or your own prefix"
        if rule.id in found or rule.id in ids:
            return f"another pack already has a rule {rule.id}"
        ids.add(rule.id)
    return ""
