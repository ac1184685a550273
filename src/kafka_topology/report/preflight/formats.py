"""The formats of preflights, and what each of them gets."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cache

from kafka_topology.preflight.run import Preflighted
from kafka_topology.topology.model.words import counted

from ..findings import formats as findings
from ..formats import Format, Formats, find_formats
from ..run import Run

GROUP = "kafka_topology.preflight_formats"


@dataclass(frozen=True, slots=True, kw_only=True)
class Presented:
    """A preflight, its findings as every format of findings gets them, and the address of the cluster."""

    preflighted: Preflighted
    run: Run
    cluster: str = field(default="")

    @property
    def is_yes(self) -> bool:
        return not self.run.failing and not self.run.could_not_check

    @property
    def headline(self) -> str:
        """The answer in a few words. What was not checked is never a yes."""
        failing, unread = len(self.run.failing), len(self.run.could_not_check)
        if failing:
            return f"No: {counted(failing, 'reason')}" + (f", and {unread:,} could not be checked" if unread else "")
        return f"Unknown: {counted(unread, 'thing')} could not be checked" if unread else "Yes"


@cache
def preflight_formats() -> Formats[Presented]:
    return find_formats("kafka_topology.report.preflight", GROUP)


def format_like(name: str, description: str) -> Format[Presented]:
    """The format of findings of that name, for preflights."""
    return Format(name=name, description=description, render=lambda presented: findings.render(name, presented.run))
