"""What a check is: the tests it puts to each record, and what it says about the answers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from ...topology.model import Key, Topic, Value
from ..conditions import RowTest
from ..evidence import Evidence
from ..schemas import Schema, UnusableSchema


@dataclass(frozen=True, slots=True)
class Subject:
    """A declared topic as it is on the cluster: records follow the live partition count, not the declared one."""

    topic: Topic
    partitions: int
    schemas: Mapping[str, Schema] = field(default_factory=dict)  # by the path that the topology names
    refused: Mapping[str, str] = field(default_factory=dict)  # by check: why Spark cannot do it

    @property
    def key(self) -> Key | None:
        return self.topic.key

    def schema_of(self, part: Key | Value | None) -> Schema | None:
        """The schema that a key or a value declares. Only JSON and Avro have one."""
        if part is None or part.schema is None:
            return None
        return self.schemas.get(part.schema) or UnusableSchema(f"schema {part.schema} could not be read")

    def used_schemas(self) -> Mapping[str, Schema]:
        """Those of this topic's key and value, by path."""
        paths = (part.schema for part in (self.topic.key, self.topic.value) if part is not None and part.schema)
        return {path: self.schemas[path] for path in paths if path in self.schemas}


@dataclass(frozen=True, slots=True)
class NotChecked:
    """The declaration cannot be judged from records, and why."""

    reason: str


@dataclass(frozen=True, slots=True)
class RowTests:
    """Put to every record of the topic. `bound` says what the tests leave unseen, if they do."""

    rows: tuple[RowTest, ...]
    bound: str | None = None
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Found:
    """The violations of one check. Evidence is the first few per partition and test, `test` its row test."""

    violations: int
    records: int
    evidence: Sequence[tuple[RowTest, Evidence]]


@dataclass(frozen=True, slots=True)
class Explanation:
    cause: str | None
    remediation: str


class Check(Protocol):
    @property
    def id(self) -> str: ...

    def tests(self, subject: Subject) -> RowTests | NotChecked | None:
        """None when the topology declares nothing that this check could compare with."""
        ...

    def explain(self, subject: Subject, found: Found) -> Explanation: ...


def asked_by(check: Check, subject: Subject) -> RowTests | NotChecked | None:
    """What the check asks, unless Spark refused it before."""
    reason = subject.refused.get(check.id)
    return check.tests(subject) if reason is None else NotChecked(reason)
