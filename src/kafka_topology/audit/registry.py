"""Finds the subjects of an audit: one for each module of `audit/subjects` and of its rooms."""

from __future__ import annotations

from functools import cache
from importlib import import_module
from pkgutil import walk_packages
from typing import TYPE_CHECKING

from . import subjects as folder

if TYPE_CHECKING:
    from .check import Check
    from .subject import Subject


@cache
def subjects() -> tuple[Subject, ...]:
    """The subjects in their order."""
    modules = walk_packages(folder.__path__, f"{folder.__name__}.")
    found: list[Subject] = [import_module(module.name).SUBJECT for module in modules if not module.ispkg]
    return tuple(sorted(found, key=lambda subject: subject.order))


def checks() -> tuple[Check, ...]:
    return tuple(check for subject in subjects() for check in subject.checks)
