"""Finds the steps of a preflight: one for each module of `preflight/steps`."""

from __future__ import annotations

from functools import cache
from importlib import import_module
from pkgutil import iter_modules
from typing import TYPE_CHECKING

from . import steps as folder

if TYPE_CHECKING:
    from ..audit.check import Check
    from .step import Step


@cache
def steps() -> tuple[Step, ...]:
    """The steps in their order."""
    found: list[Step] = [import_module(f"{folder.__name__}.{each.name}").STEP for each in iter_modules(folder.__path__)]
    return tuple(sorted(found, key=lambda step: step.order))


def checks() -> tuple[Check, ...]:
    return tuple(check for step in steps() for check in step.checks)
