"""Fixes findings in the files, and proves each fix before keeping it.

A fix is kept if the files still load in every environment, the finding is gone, no other finding appeared in any
environment, and no value outside the edited places changed. Otherwise it is refused with a reason.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from kafka_topology.files import unified_diff, write_atomically
from kafka_topology.fixing.edits import (
    Positions,
    apply_edits,
    changed_elsewhere,
    is_within,
    overlap,
    shared_spans,
)
from kafka_topology.report.findings.fingerprints import fingerprint
from kafka_topology.report.run import relative
from kafka_topology.topology import Edit, Finding, Loaded, load
from kafka_topology.validators import Outcome, run

MAX_PASSES = 8
Texts = dict[Path, str]
Wanted = Callable[[Outcome], Sequence[Finding]]


@dataclass(frozen=True, slots=True)
class Fixed:
    """A fixed finding, with the text before and after."""

    finding: Finding
    old: str
    new: str


@dataclass(frozen=True, slots=True)
class Refused:
    """A finding that is not fixed, and why."""

    finding: Finding
    reason: str


@dataclass(slots=True)
class Fixes:
    """What was fixed, what was refused, and the texts of the changed files before and after."""

    fixed: list[Fixed] = field(default_factory=list)
    refused: list[Refused] = field(default_factory=list)
    before: Texts = field(default_factory=dict)
    after: Texts = field(default_factory=dict)

    @property
    def changed(self) -> Iterator[Path]:
        return (path for path, text in self.after.items() if text != self.before[path])


class FileChanged(Exception):
    """Somebody changed a file after it was read, so it is not overwritten."""


def find_fixes(path: Path, environment: str | None, select: Callable[[str], bool], wanted: Wanted) -> Fixes:
    """Work out fixes in memory and write nothing. `wanted` picks the findings that may be fixed."""
    fixes = Fixes()
    for _ in range(MAX_PASSES):
        attempt = _Pass(path, environment, select, fixes.after)
        refused = {fingerprint(each.finding) for each in fixes.refused}
        candidates = [f for f in wanted(attempt.outcome) if f.edits and fingerprint(f) not in refused]
        batch = _without_overlaps(candidates)
        if not batch:
            break
        kept = attempt.accept([], batch)
        fixes.refused += attempt.refused
        if kept:
            fixes.fixed += attempt.described(kept)
            fixes.before = attempt.texts | fixes.before
            fixes.after |= attempt.edited(kept)
        elif not attempt.refused:
            break
    return fixes


def without_vain_edits(
    findings: Sequence[Finding], texts: Mapping[str, str], refused: Sequence[Refused] = ()
) -> tuple[Finding, ...]:
    """The findings, without the edits that were refused or that would change a value shared through an anchor.

    `texts` are the files by the names in locations.
    """
    vain = {fingerprint(each.finding) for each in refused}
    edited = {edit.location.file for finding in findings for edit in finding.edits}
    shared = {name: shared_spans(texts[name]) for name in edited & texts.keys()}
    return tuple(
        replace(finding, edits=())
        if finding.edits
        and (
            fingerprint(finding) in vain
            or any(is_within(edit, shared.get(edit.location.file, ())) for edit in finding.edits)
        )
        else finding
        for finding in findings
    )


def write_fixes(fixes: Fixes) -> None:
    """Write each changed file as a whole, with its byte order mark if it had one.

    Raises `FileChanged` before writing anything if somebody changed one of the files.
    """
    originals = {path: path.read_bytes() for path in fixes.changed}
    for path, data in originals.items():
        if data.decode("utf-8-sig") != fixes.before[path]:
            raise FileChanged(f"{path} changed while fixes were computed; nothing was written, run it again")
    for path, data in originals.items():
        mark = b"\xef\xbb\xbf" if data.startswith(b"\xef\xbb\xbf") else b""
        write_atomically(path, mark + fixes.after[path].encode())


def diff_of(fixes: Fixes, folder: Path) -> str:
    named = [(path, relative(str(path), folder)) for path in sorted(fixes.changed)]
    return "".join(
        unified_diff(fixes.before[path], fixes.after[path], f"a/{name}", f"b/{name}") for path, name in named
    )


class _Pass:
    """One round: the findings in the files as fixed so far, and the attempts to fix them."""

    def __init__(self, path: Path, environment: str | None, select: Callable[[str], bool], texts: Texts) -> None:
        self._path = path
        self._select = select
        self._texts = dict(texts)
        loaded = load(path, environment, texts=self._texts)
        self.outcome = self._judged(loaded)
        self.texts: Texts = {file.path: file.text for file in loaded.files}
        self._by_name = {file.name: file.path for file in loaded.files}
        others = loaded.topology.environments if loaded.topology is not None else ()
        self._environments = dict.fromkeys([environment, None, *others])
        self._before = {name: self._counts(name, self._texts) for name in self._environments}
        self._environment = environment
        self.refused: list[Refused] = []

    def accept(self, kept: list[Finding], batch: list[Finding]) -> list[Finding]:
        """The largest part of the batch that can be fixed together with the findings already kept."""
        reason = self._objection([*kept, *batch], batch)
        if not reason:
            return [*kept, *batch]
        if len(batch) == 1:
            self.refused.append(Refused(batch[0], reason))
            return kept
        middle = len(batch) // 2
        return self.accept(self.accept(kept, batch[:middle]), batch[middle:])

    def edited(self, findings: Sequence[Finding]) -> Texts:
        return {path: apply_edits(self.texts[path], edits) for path, edits in self._edits(findings).items()}

    def described(self, findings: Sequence[Finding]) -> Iterator[Fixed]:
        for finding in findings:
            edit = finding.edits[0]
            text = self.texts[self._by_name[edit.location.file]]
            start, end = Positions(text).span(edit.location)
            yield Fixed(finding, text[start:end], edit.text)

    def _edits(self, findings: Sequence[Finding]) -> dict[Path, list[Edit]]:
        edits: dict[Path, list[Edit]] = {}
        for finding in findings:
            for edit in finding.edits:
                edits.setdefault(self._by_name[edit.location.file], []).append(edit)
        return edits

    def _objection(self, chosen: list[Finding], batch: list[Finding]) -> str:
        """Why these findings must not be fixed like this; empty if they may."""
        try:
            edited = self.edited(chosen)
        except (IndexError, KeyError):
            return "the files do not contain the place to edit"
        for path, edits in self._edits(chosen).items():
            problem = changed_elsewhere(self.texts[path], edited[path], edits)
            if problem:
                return problem
        texts = self._texts | edited
        for environment in self._environments:
            before, after = self._before[environment], self._counts(environment, texts)
            if after is None:
                return "the files would no longer load"
            appeared = after - before if before is not None else Counter()
            if appeared:
                rule, _, resource = next(iter(appeared))
                return f"it would cause {rule} on {resource or 'the topology'}{_in(environment)}"
            if environment == self._environment and before is not None:
                gone = before - after
                if any(_key(finding) not in gone for finding in batch):
                    return "the finding would remain"
        return ""

    def _judged(self, loaded: Loaded) -> Outcome:
        if loaded.topology is None:
            return Outcome(loaded.problems, (), (), frozenset())
        return run(loaded.topology, select=self._select)

    def _counts(self, environment: str | None, texts: Mapping[Path, str]) -> Counter[tuple[str, str, str]] | None:
        loaded = load(self._path, environment, texts=texts)
        if loaded.topology is None:
            return None
        return Counter(_key(finding) for finding in self._judged(loaded).findings)


def _key(finding: Finding) -> tuple[str, str, str]:
    return finding.id, finding.kind, finding.resource


def _in(environment: str | None) -> str:
    return f" in environment {environment}" if environment is not None else ""


def _without_overlaps(findings: Sequence[Finding]) -> list[Finding]:
    """The first of those that edit the same text; the others get their turn in a later pass, if still needed."""
    taken: dict[str, list[Edit]] = {}
    chosen = []
    for finding in findings:
        held = [edit for name in {e.location.file for e in finding.edits} for edit in taken.get(name, ())]
        if any(overlap(edit, other) for edit in finding.edits for other in held):
            continue
        chosen.append(finding)
        for edit in finding.edits:
            taken.setdefault(edit.location.file, []).append(edit)
    return chosen
