"""Finds the rules that ship with the product: one module each, in `validators/rules`."""

from __future__ import annotations

import pkgutil
from functools import cache
from importlib import import_module

from . import rules as rules_package
from .rule import Rule


@cache
def builtin_rules() -> tuple[Rule, ...]:
    """All built-in rules, by id."""
    names = sorted(module.name for module in pkgutil.iter_modules(rules_package.__path__))
    found = [import_module(f"{rules_package.__name__}.{name}").RULE for name in names]
    return tuple(sorted(found, key=lambda rule: rule.id))
