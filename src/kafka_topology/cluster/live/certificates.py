"""Certificates that brokers show to clients."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from datetime import datetime


@dataclass(frozen=True, slots=True)
class Certificate:
    """What one address shows. `refused` is why clients do not accept it now: it, or an authority behind it, expired."""

    address: str
    valid_from: datetime
    valid_until: datetime
    refused: str | None = None
