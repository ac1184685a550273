"""SCRAM credentials."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Credential:
    """The SCRAM credential of a user. `repr` does not show the password."""

    user: str
    mechanism: str
    iterations: int
    password: str = field(repr=False)
