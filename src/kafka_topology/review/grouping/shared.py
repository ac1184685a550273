"""What one or more of the reviewed environments have."""

from __future__ import annotations

from dataclasses import dataclass

from ...topology.model.declared import Acceptance
from ...topology.model.findings import Finding
from ..changes import Change


@dataclass(frozen=True, slots=True)
class InEnvironments:
    """The reviewed environments that have something."""

    environments: tuple[str | None, ...]


@dataclass(frozen=True, slots=True)
class SharedChange(InEnvironments):
    change: Change


@dataclass(frozen=True, slots=True)
class SharedFinding(InEnvironments):
    finding: Finding
    is_new: bool
    accepted: Acceptance | None = None  # of a finding about a change: who accepts the change
