"""What makes a review fail: the severities of new findings and the risks of changes."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from ..topology.model.findings import Severity
from .changes import Risk

RISKS: Final = {risk.value.replace(" ", "-"): risk for risk in Risk if risk is not Risk.SAFE}
"""The risks by the words of the command line."""


@dataclass(frozen=True, slots=True)
class Gate:
    """The lowest severity and the lowest risk that fail. Errors always do; risks only if one is given."""

    severity: Severity = Severity.ERROR
    risk: Risk | None = None

    def stops(self, risk: Risk) -> bool:
        return self.risk is not None and risk.rank >= self.risk.rank


DEFAULT_GATE: Final = Gate()


def gate_of(words: Iterable[str]) -> Gate:
    """The gate of words such as `error` and `destructive`; of several severities or risks the lowest counts."""
    given = set(words)
    severities = [severity for severity in Severity if severity.value in given]
    risks = [risk for word, risk in RISKS.items() if word in given]
    return Gate(
        min(severities, key=lambda severity: severity.rank, default=Severity.ERROR),
        min(risks, key=lambda risk: risk.rank, default=None),
    )
