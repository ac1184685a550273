"""What a check is: the tests it puts to each record, and what it says about the answers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from ...topology.model import Key, Topic, Value
from ..conditions import KeyQuestion, RowTest
from ..evidence import Evidence, KeyPlaces, SplitKey
from ..report import Number, PartitionCount, Position
from ..scan import HotKey
from ..schemas import Schema, UnusableSchema


@dataclass(frozen=True, slots=True)
class Subject:
    """A declared topic as it is on the cluster: records follow the live partition count, not the declared one.

    `settings` are the topic's settings as they are in force. `exactly_once`: everything that writes to the topic
    promises it. `unseen` says what part of the records is not read, if any: what depends on the records before,
    or on all of them, is bounded then. `schemas` are by the path that the topology names; `refused` says by check why
    Spark cannot do it.
    """

    topic: Topic
    partitions: int
    settings: Mapping[str, str] = field(default_factory=dict)
    exactly_once: bool = False
    now_ms: int = 0
    unseen: str | None = None
    schemas: Mapping[str, Schema] = field(default_factory=dict)
    refused: Mapping[str, str] = field(default_factory=dict)

    @property
    def key(self) -> Key | None:
        return self.topic.key

    @property
    def is_keyed(self) -> bool:
        return self.key is not None and self.key.type != "none"

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
    hot_keys: bool = False  # whether the check wants to know them


@dataclass(frozen=True, slots=True)
class PartitionTotal:
    """All records of one partition; without any, `first` and `last` are None."""

    partition: int
    records: int = 0
    bytes: int = 0
    first: int | None = None
    last: int | None = None


@dataclass(frozen=True, slots=True)
class Seen:
    """What the scan told, as one check sees it: `counts` has a number for each of the check's tests, by name.

    `partitions` has every partition, also the empty ones. `keys` is the answer to a `KeyQuestion`, if one was asked.
    """

    records: int = 0
    counts: Mapping[str, int] = field(default_factory=dict)
    partitions: tuple[PartitionTotal, ...] = ()
    distinct_in: Mapping[int, int] = field(default_factory=dict)  # keys by partition, where FirstOfKey was asked
    hot_keys: tuple[HotKey, ...] = ()
    keys: KeyPlaces | None = None


@dataclass(frozen=True, slots=True)
class Fault:
    """A violation that is not about single records: of partitions, or of keys, or of the whole topic."""

    name: str
    violations: int
    partitions: tuple[PartitionCount, ...] = ()
    first: Position | None = None
    last: Position | None = None
    keys: tuple[SplitKey, ...] = ()


@dataclass(frozen=True, slots=True)
class Verdict:
    """What a check makes of the numbers, beyond the tests that are violations by themselves."""

    metrics: Mapping[str, Number] = field(default_factory=dict)
    fault: Fault | None = None
    bound: str | None = None
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Found:
    """The violations of one check. Evidence is the first few per partition and test, with the test that it breaks."""

    violations: int
    records: int
    evidence: Sequence[tuple[RowTest, Evidence]]
    seen: Seen = Seen()


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

    def asks(self, subject: Subject, seen: Seen) -> KeyQuestion | None:
        """What the scan left open and only a second query over all keys can answer."""
        ...

    def verdict(self, subject: Subject, seen: Seen) -> Verdict: ...

    def explain(self, subject: Subject, found: Found) -> Explanation: ...


class RowCheck:
    """What most checks have in common: the answers to their tests say everything."""

    def asks(self, subject: Subject, seen: Seen) -> KeyQuestion | None:  # noqa: ARG002 - the protocol's signature
        return None

    def verdict(self, subject: Subject, seen: Seen) -> Verdict:  # noqa: ARG002 - the protocol's signature
        return Verdict()


def asked_by(check: Check, subject: Subject) -> RowTests | NotChecked | None:
    """What the check asks, unless Spark refused it before."""
    reason = subject.refused.get(check.id)
    return check.tests(subject) if reason is None else NotChecked(reason)
