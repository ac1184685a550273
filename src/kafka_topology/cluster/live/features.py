"""What brokers can do, and which features the cluster has turned on."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping


@dataclass(frozen=True, slots=True)
class Software:
    """One broker. `supported` has the lowest and highest level of each feature that it knows.

    `levels` are the levels that the cluster uses, as this broker knows them. Level 0 means off, and is left out.
    """

    supported: Mapping[str, tuple[int, int]] = field(default_factory=dict)
    levels: Mapping[str, int] = field(default_factory=dict)
