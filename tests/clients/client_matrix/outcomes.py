"""What came of each row: faults, if a count differs from the truth, and the numbers that the table shows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from .observed import Expected, Observed, expected
from .rows import Row

if TYPE_CHECKING:
    from .checking import Counted


@dataclass(slots=True)
class Outcome:
    """`unavailable` says why a client wrote nothing; `wrong` has what each wrong declaration counted."""

    row: Row
    topic: str
    unavailable: str | None = None
    remark: str = ""
    records: list[Observed] = field(default_factory=list)
    unjudged: int = 0
    wrong: dict[str, int] = field(default_factory=dict)
    unknown: dict[str, str] = field(default_factory=dict)  # wrong declarations without a truth, and why
    faults: list[str] = field(default_factory=list)
    shown: int = 0  # how many of the faults were printed as they came up

    def new_faults(self) -> list[str]:
        """Those that nobody was told of yet."""
        found = self.faults[self.shown :]
        self.shown = len(self.faults)
        return found

    def blame(self, where: str, counted: Counted, should: Expected | None) -> None:
        """Notes every difference between a check's answer and the truth; None means that it must not claim to know."""
        self.faults += [f"{where}: {each}" for each in differences(counted, should, len(self.records))]

    def blame_split(self, where: str, counted: Counted) -> None:
        """A hash puts a key into one partition, so no key may be in several."""
        if counted.split != 0:
            self.faults.append(f"{where}: {counted.split} keys in several partitions, expected 0")


def differences(counted: Counted, should: Expected | None, records: int) -> Sequence[str]:
    found = [] if counted.records == records else [f"read {counted.records} of {records} records"]
    if should is None:
        if counted.status != "not-checked" or counted.violations is not None:
            found.append(f"{counted.status} with {counted.violations} misplaced, expected not-checked")
        return found
    # A check that could not judge some records may call its count bounded, never one that judged all of them.
    if counted.status != "exact" and not (counted.status == "bounded" and should.unjudged):
        found.append(f"status {counted.status}, expected exact: {counted.reason}")
    if counted.violations != should.violations:
        found.append(f"{counted.violations} misplaced, expected {should.violations}")
    elif counted.partitions != should.partitions:
        found.append(f"misplaced by partition {counted.partitions}, expected {should.partitions}")
    if counted.unjudged != should.unjudged:
        found.append(f"{counted.unjudged} not judged, expected {should.unjudged}")
    return found


def truth_of_right(outcome: Outcome) -> Expected | None:
    """A client's own partitioner is right by definition; None where nobody can recompute it."""
    if not outcome.row.is_computable:
        return None
    own = {record.key: record.partition for record in outcome.records}
    return Expected(expected(outcome.records, outcome.row.declared, own).unjudged, {})
