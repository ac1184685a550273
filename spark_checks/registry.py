"""Finds the checks: every module of `checks`, and those that other distributions offer.

A distribution offers checks by an entry point of the group `kafka_topology.checks`, which names a function that returns
them. Their ids have a prefix and a slash, such as `acme/test-orders`, so they never clash with ours.
"""

from __future__ import annotations

import pkgutil
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from importlib.metadata import EntryPoint, entry_points

from kafka_topology.topology.model.findings import Severity
from kafka_topology.topology.model.outside import described, outside_code

from . import checks as checks_package
from .planning.check import About, Check

GROUP = "kafka_topology.checks"
ID_OF_OTHERS = "^[a-z][a-z0-9-]*/[a-z][a-z0-9-]*$"  # also in the JSON Schema of reports


class BrokenPack(Exception):
    """Installed checks cannot be used. Without them a report would look complete and is not."""


@dataclass(frozen=True, slots=True)
class CheckPacks:
    """Every check that can be used, in the order of reports, and why others cannot."""

    checks: tuple[Check, ...]
    broken: tuple[str, ...] = ()


@cache
def builtin_checks() -> tuple[Check, ...]:
    modules = pkgutil.iter_modules(checks_package.__path__, f"{checks_package.__name__}.")
    return _in_order(import_module(module.name).CHECK for module in modules)


def installed_checks() -> tuple[Check, ...]:
    """Ours and those of others, in the order of reports. Raises `BrokenPack` when one of them cannot be used."""
    packs = installed_packs()
    if packs.broken:
        raise BrokenPack("; ".join(packs.broken))
    return packs.checks


def descriptions() -> Mapping[str, About]:
    """How each installed check describes itself. A report that another machine wrote may name further ones."""
    return {check.id: check.about for check in installed_packs().checks}


@cache
def installed_packs() -> CheckPacks:
    """Read once: what is installed does not change while a program runs."""
    return load_packs(entry_points(group=GROUP))


def load_packs(points: Iterable[EntryPoint]) -> CheckPacks:
    """One broken pack leaves all others usable."""
    found = {check.id: check for check in builtin_checks()}
    broken: list[str] = []
    for point in sorted(points, key=lambda each: (each.name, each.value)):
        try:
            with outside_code():
                offered = tuple(point.load()())
                wrong = _wrong_with(offered, found)
        except Exception as error:  # noqa: BLE001 - the code of a pack may fail in any way
            wrong = described(error)
        if wrong is None:
            found.update((check.id, check) for check in offered)
        else:
            broken.append(f"checks of {point.name} ({point.value}) cannot be used: {wrong}; fix or uninstall them")
    return CheckPacks(_in_order(found.values()), tuple(broken))


def _wrong_with(offered: Iterable[object], found: Mapping[str, Check]) -> str | None:
    ids = set(found)
    for check in offered:
        if not isinstance(check, Check) or not isinstance(getattr(check, "about", None), About):
            return f"it offers a {type(check).__name__}, which is not a Check with an About"
        if not re.fullmatch(ID_OF_OTHERS, check.id):
            return f"`{check.id}` has no prefix; expected an id such as acme/test-orders"
        if not _is_sound(check.about):
            return f"the About of {check.id} has a value of the wrong type"
        if check.id in ids:
            return f"another pack already has a check {check.id}"
        ids.add(check.id)
    return None


def _is_sound(about: About) -> bool:
    """Reports are sorted by these values and made of them."""
    texts = (about.summary, about.why, about.needs, about.violation, about.fix, *about.declared_at, *about.settings)
    metrics = isinstance(about.metrics, Mapping) and all(map(_is_text, (*about.metrics, *about.metrics.values())))
    paths = isinstance(about.declared_at, tuple) and isinstance(about.settings, tuple)
    kinds = isinstance(about.severity, Severity) and about.counts in {"record", "key", "partition", "topic"}
    return all(map(_is_text, texts)) and metrics and paths and kinds and isinstance(about.order, int)


def _is_text(value: object) -> bool:
    return isinstance(value, str)


def _in_order(checks: Iterable[Check]) -> tuple[Check, ...]:
    return tuple(sorted(checks, key=lambda check: (check.about.order, check.id)))
