"""Finds the subjects of an audit: one for each module of `audit/subjects`."""

from __future__ import annotations

from functools import cache
from importlib import import_module
from pkgutil import iter_modules
from typing import TYPE_CHECKING

from . import subjects as folder

if TYPE_CHECKING:
    from .check import Check
    from .subject import Subject


@cache
def subjects() -> tuple[Subject, ...]:
    """The subjects in their order."""
    found: list[Subject] = [
        import_module(f"{folder.__name__}.{module.name}").SUBJECT for module in iter_modules(folder.__path__)
    ]
    return tuple(sorted(found, key=lambda subject: subject.order))


def checks() -> tuple[Check, ...]:
    return tuple(check for subject in subjects() for check in subject.checks)
