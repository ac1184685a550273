"""Finds the rules: those that ship with the product and those of installed rule packs, all in the same way.

A distribution offers rules by an entry point of the group `kafka_topology.rules`, which names a function that
returns them. Ours are `kafka_topology.validators.registry:builtin_rules` and, for what an audit of the cluster finds,
`kafka_topology.audit_rules:audit_rules`.
"""

from __future__ import annotations

import pkgutil
import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from importlib.metadata import EntryPoint, entry_points

from . import rules as rules_package
from .naming import is_own
from .rule import Rule

GROUP = "kafka_topology.rules"
_OWN_PACKS = {
    "builtin": "kafka_topology.validators.registry:builtin_rules",
    "audit": "kafka_topology.audit_rules:audit_rules",
}
_ID = re.compile(r"KT[0-9]{3}|[A-Z][A-Z0-9]*-?[0-9]+")


@dataclass(frozen=True, slots=True)
class BrokenPack:
    """A rule pack that cannot be used, and why."""

    name: str
    reason: str


@dataclass(frozen=True, slots=True)
class RulePacks:
    """Every rule that is installed, by id, and the packs that could not be loaded."""

    rules: tuple[Rule, ...]
    broken: tuple[BrokenPack, ...] = ()


@cache
def builtin_rules() -> tuple[Rule, ...]:
    """All built-in rules, by id: one module each, in `validators/rules`."""
    names = sorted(module.name for module in pkgutil.iter_modules(rules_package.__path__))
    found = [import_module(f"{rules_package.__name__}.{name}").RULE for name in names]
    return tuple(sorted(found, key=lambda rule: rule.id))


@cache
def installed_rules() -> RulePacks:
    """The rules of all installed packs. Read once: what is installed does not change while a program runs."""
    return load_packs(entry_points(group=GROUP))


def load_packs(points: Iterable[EntryPoint]) -> RulePacks:
    """One broken pack leaves all others in use."""
    found: dict[str, Rule] = {}
    broken: list[BrokenPack] = []
    # Ours come first, so that no other pack can take their place.
    ordered = sorted(points, key=lambda point: (not _is_ours(point), point.name, point.value))
    if not any(_is_ours(point) for point in ordered):
        found.update((rule.id, rule) for rule in builtin_rules())  # used from a checkout that is not installed
    for point in ordered:
        name = f"{point.name} ({point.value})"
        try:
            rules = tuple(point.load()())
        except Exception as error:  # noqa: BLE001 - the code of a pack may fail in any way
            broken.append(BrokenPack(name, f"{type(error).__name__}: {error}"))
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
            return f"`{rule.id}` is not a rule's id; expected one such as KT901 or ACME-1"
        if not ours and is_own(rule.id):
            return f"{rule.id} is one of the product's own ids; a pack takes KT900 to KT999 or a prefix of its own"
        if rule.id in found or rule.id in ids:
            return f"another pack already has a rule {rule.id}"
        ids.add(rule.id)
    return ""
