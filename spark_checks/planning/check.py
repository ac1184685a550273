"""What a check is: how it describes itself, the tests it puts to each record, and what it says about the answers."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import ClassVar, Final, Literal

from kafka_topology.topology.model.findings import Severity

from ..conditions.record import KeyQuestion, RowTest
from ..results.evidence import Evidence, KeyPlaces, SplitKey
from ..results.report import Number, PartitionCount, Position
from ..results.scan import HotKey
from .subject import Subject

LAST: Final = 1000  # checks of others follow ours, by their ids


@dataclass(frozen=True, slots=True, kw_only=True)
class About:
    """All that reports, schemas and docs say about a check; nothing else lists checks.

    `summary` is what holds when nothing is wrong, `why` what breaks otherwise. `needs` and `violation` are the
    check's row in the docs. `declared_at` is the path of the topic's field that declares it. `counts` is the noun
    of what `violations` counts. `estimated`: a sample of the records allows an estimate for the whole topic, which
    only holds where each record is judged alone. `metrics` are the numbers of `Verdict.metrics` by name, each with its
    meaning. `settings` names the topic's settings that it reads. `severity` is that of its findings.
    """

    id: str
    summary: str
    why: str
    needs: str
    violation: str
    declared_at: tuple[str, ...] = ()
    fix: str = "Fix the producer that the evidence points at, or correct the declaration."
    order: int = LAST
    severity: Severity = Severity.ERROR
    counts: Literal["record", "key", "partition", "topic"] = "record"
    estimated: bool = True
    metrics: Mapping[str, str] = field(default_factory=dict)
    settings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class NotChecked:
    """The declaration cannot be judged from records, and why.

    With `unable`, records could prove it, but something is wrong: a schema that cannot be used, an expression that
    fails. That is not a check without a subject, and must not pass as one.
    """

    reason: str
    unable: bool = False


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
    """What the scan found, as one check sees it: `counts` has a number for each of the check's tests, by name.

    `judged` are the records that are neither exempt nor unjudged, `among_judged` has the counts of those alone.
    `violating` are the records with a violation, `among_violating` has the counts of those alone.
    `partitions` has every partition, also the empty ones. `partitions_with` says for each test in how many partitions
    it holds for a record. `keys` is the answer to a `KeyQuestion`, if one was asked.
    """

    records: int = 0
    judged: int = 0
    counts: Mapping[str, int] = field(default_factory=dict)
    among_judged: Mapping[str, int] = field(default_factory=dict)
    violating: int = 0
    among_violating: Mapping[str, int] = field(default_factory=dict)
    partitions_with: Mapping[str, int] = field(default_factory=dict)
    partitions: tuple[PartitionTotal, ...] = ()
    distinct_in: Mapping[int, int] = field(default_factory=dict)  # keys by partition, where FirstOfKey was asked
    hot_keys: tuple[HotKey, ...] = ()
    keys: KeyPlaces | None = None


@dataclass(frozen=True, slots=True)
class Fault:
    """A violation that is not about single records: of partitions, or of keys, or of the whole topic.

    `keys` are a few of those that the answer to a `KeyQuestion` calls split. `expected` as in `RowTest`.
    """

    name: str
    violations: int
    partitions: tuple[PartitionCount, ...] = ()
    first: Position | None = None
    last: Position | None = None
    keys: tuple[SplitKey, ...] = ()
    expected: str = ""


@dataclass(frozen=True, slots=True)
class Verdict:
    """What a check makes of the numbers, beyond the tests that are violations by themselves.

    `unjudged` are records that the numbers leave open, in addition to those of the tests. `out_of` is how many keys
    there are, for a check that counts keys: nothing else knows. `open` says why the numbers decide nothing: the check
    is then not made, whatever else is here.
    """

    metrics: Mapping[str, Number] = field(default_factory=dict)
    fault: Fault | None = None
    bound: str | None = None
    notes: tuple[str, ...] = ()
    unjudged: int = 0
    out_of: int | None = None
    open: str | None = None


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
    fix: str


class Check(ABC):
    """Pure: tests as data in, explanations as text out. Most checks need no more than `tests` and `explain`."""

    about: ClassVar[About]

    @property
    def id(self) -> str:
        return self.about.id

    @abstractmethod
    def tests(self, subject: Subject) -> RowTests | NotChecked | None:
        """None when the topology declares nothing that this check could compare with."""

    def asks(self, subject: Subject, seen: Seen) -> KeyQuestion | None:  # noqa: ARG002 - for those who override it
        """What the scan left open and only a second query over all keys can answer."""
        return None

    def verdict(self, subject: Subject, seen: Seen) -> Verdict:  # noqa: ARG002 - for those who override it
        """What follows from the numbers, beyond the tests that are violations by themselves."""
        return Verdict()

    @abstractmethod
    def explain(self, subject: Subject, found: Found) -> Explanation: ...
