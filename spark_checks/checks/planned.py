"""Declarations that no check compares with records yet: said, so that they do not read as proven."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from ...topology.model import Topic
from .base import Explanation, Found, NotChecked, RowCheck, Subject


@dataclass(frozen=True, slots=True)
class Planned(RowCheck):
    id: str
    declared: Callable[[Topic], bool]

    def tests(self, subject: Subject) -> NotChecked | None:
        if not self.declared(subject.topic):
            return None
        return NotChecked("this version of kafka-topology does not check it")

    def explain(self, subject: Subject, found: Found) -> Explanation:
        raise NotImplementedError


PLANNED = (
    Planned("value-schema", lambda topic: topic.value is not None and topic.value.schema is not None),
    Planned("headers", lambda topic: topic.headers is not None),
)
