"""Where a value was written: file, line, column, and which layer of the topology set it."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


@dataclass(frozen=True, slots=True, order=True)
class Location:
    """A span in a file. Lines and columns count from 1; the end column is exclusive."""

    file: str
    line: int
    column: int
    end_line: int
    end_column: int

    def __str__(self) -> str:
        return f"{self.file}:{self.line}:{self.column}"


class Layer(StrEnum):
    """Who set a value. The order is the order in which a value is looked for."""

    RESOURCE = "resource"
    PROFILE = "profile"
    ENVIRONMENT = "environment"
    CLUSTER = "cluster default"
    LANGUAGE = "language default"
    KAFKA = "kafka default"


@dataclass(frozen=True, slots=True)
class Place:
    """The layer that set a value, its name (a profile's, an environment's) and where that is written.

    Kafka's own defaults are written nowhere: their place points at the resource they apply to.
    """

    layer: Layer
    location: Location
    name: str = ""

    @property
    def is_inherited(self) -> bool:
        """Whether it was set elsewhere than on the resource that has it."""
        return self.layer in (Layer.PROFILE, Layer.ENVIRONMENT, Layer.CLUSTER)

    def __str__(self) -> str:
        return f"{self.layer} {self.name}".strip()
