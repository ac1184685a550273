"""Finds the subjects of a review: one for each module of `review/subjects`."""

from __future__ import annotations

from functools import cache
from importlib import import_module
from pkgutil import iter_modules

from . import subjects as folder
from .changes import UNJUDGED
from .subject import Subject


@cache
def subjects() -> tuple[Subject, ...]:
    """The subjects in their order."""
    found: list[Subject] = [
        import_module(f"{folder.__name__}.{module.name}").SUBJECT for module in iter_modules(folder.__path__)
    ]
    return tuple(sorted(found, key=lambda subject: subject.order))


def judged_sections() -> frozenset[str]:
    """The attributes of `Topology` that some subject judges."""
    return frozenset(section for subject in subjects() for section in subject.sections)


def change_kinds() -> tuple[str, ...]:
    """Every value of `Change.kind`."""
    return (*(kind for subject in subjects() for kind in subject.kinds), UNJUDGED)
