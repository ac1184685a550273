"""What can be asked of a single record, as plain data.

A check says which conditions it needs; how a condition becomes a Spark column is decided elsewhere
(`columns.py`), so that another engine for the same conditions gives the same answers and checks need no Spark.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from ..topology.model import KeyType
from .partitioners import HashPartitioner


@dataclass(frozen=True, slots=True)
class Era:
    """Records with an earlier timestamp were placed over this many partitions. None: until now."""

    partitions: int
    until_ms: int | None = None


@dataclass(frozen=True, slots=True)
class Misplaced:
    """The key belongs to another partition than the one the record is in."""

    partitioner: HashPartitioner
    eras: tuple[Era, ...]


@dataclass(frozen=True, slots=True)
class Undetermined:
    """The partitioner ties the key to no partition, so placement cannot be judged."""

    partitioner: HashPartitioner


@dataclass(frozen=True, slots=True)
class NullKey:
    pass


@dataclass(frozen=True, slots=True)
class EmptyKey:
    pass


@dataclass(frozen=True, slots=True)
class Tombstone:
    """The value is null, the key is not."""


@dataclass(frozen=True, slots=True)
class NotOfType:
    """The key's bytes are not what a serializer of this type writes. Null keys are not judged."""

    type: KeyType
    pattern: str | None = None


@dataclass(frozen=True, slots=True)
class DiffersFromField:
    """The key's text differs from this field of the JSON value, or the field is missing."""

    path: tuple[str, ...]


Condition = Misplaced | Undetermined | NullKey | EmptyKey | Tombstone | NotOfType | DiffersFromField


@dataclass(frozen=True, slots=True)
class RowTest:
    """A condition with what it means where it holds: a violation, or a record the check cannot judge."""

    name: str
    condition: Condition
    meaning: Literal["violation", "unjudged"] = "violation"
