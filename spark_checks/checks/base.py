"""What a check is: the tests it puts to each record, and what it says about the answers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from ...topology.model import Key, Topic
from ..conditions import RowTest
from ..evidence import Evidence


@dataclass(frozen=True, slots=True)
class Subject:
    """A declared topic as it is on the cluster: records follow the live partition count, not the declared one."""

    topic: Topic
    partitions: int

    @property
    def key(self) -> Key | None:
        return self.topic.key


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
