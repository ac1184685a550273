"""Fixes findings in the files, and proves each fix before keeping it.

A fix is kept if the files still load in every environment, the finding is gone, no other finding appeared in any
environment, no value outside the edited places changed, and everybody who uses an edited value needs the fix, in every
environment. If other findings appear that can be fixed themselves, they
are fixed together with it. Otherwise it is refused with a reason.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import chain
from pathlib import Path

from kafka_topology.files import unified_diff, write_atomically
from kafka_topology.fixing.edits import (
    Positions,
    apply_edits,
    changed_elsewhere,
    without_overlaps,
)
from kafka_topology.fixing.users import Users, objection
from kafka_topology.report.findings.fingerprints import fingerprint
from kafka_topology.report.run import relative
from kafka_topology.topology import Edit, Finding, Loaded, Location, load
from kafka_topology.validators import Outcome, run

MAX_PASSES = 8
MAX_FOLLOW_UPS = 4
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
    """A finding that is not fixed, and why. `causes_another`: because another finding would appear."""

    finding: Finding
    reason: str
    causes_another: bool = False


@dataclass(slots=True)
class Fixes:
    """What was fixed, what was refused, and the texts of the changed files before and after."""

    fixed: list[Fixed] = field(default_factory=list)
    refused: list[Refused] = field(default_factory=list)
    before: Texts = field(default_factory=dict)
    after: Texts = field(default_factory=dict)

    def keep(self, texts: Texts, fixed: Iterable[Fixed], edited: Texts) -> None:
        """Take over fixes of these texts."""
        self.fixed += fixed
        self.before = texts | self.before
        self.after |= edited

    @property
    def changed(self) -> Iterator[Path]:
        return (path for path, text in self.after.items() if text != self.before[path])


class FileChanged(Exception):
    """Somebody changed a file after it was read, so it is not overwritten."""


def find_fixes(path: Path, environment: str | None, select: Callable[[str], bool], wanted: Wanted) -> Fixes:
    """Work out fixes in memory and write nothing. `wanted` picks the findings that may be fixed."""
    fixes = Fixes()
    waiting: dict[
        str, Refused
    ] = {}  # they cause findings that may be fixable, which is tried when nothing else is left
    passes = 0
    while passes < MAX_PASSES:
        attempt = _Pass(path, environment, select, fixes.after)
        refused = {fingerprint(each.finding) for each in fixes.refused}
        candidates = [f for f in wanted(attempt.outcome) if f.edits and fingerprint(f) not in refused]
        batch = _without_overlaps([f for f in candidates if fingerprint(f) not in waiting])
        if batch:
            passes += 1
            kept = attempt.accept([], batch)
            fixes.refused += [each for each in attempt.refused if not each.causes_another]
            waiting |= {fingerprint(each.finding): each for each in attempt.refused if each.causes_another}
            if kept:
                fixes.keep(attempt.texts, attempt.described(kept), attempt.edited(kept))
            elif not attempt.refused:
                break
            continue
        finding = next((f for f in candidates if fingerprint(f) in waiting), None)
        if finding is None:
            break
        alone = waiting.pop(fingerprint(finding))
        together = attempt.with_follow_ups(finding)
        if together is None:
            fixes.refused.append(replace(alone, finding=finding))
        else:
            fixes.keep(attempt.texts, *together)
    else:
        fixes.refused += waiting.values()  # they were never tried
    return fixes


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
        self._users: list[Users] = []
        self._before = {name: self._counts_before(name) for name in self._environments}
        self._environment = environment
        self._topics = loaded.topology.topics if loaded.topology is not None else {}
        self.refused: list[Refused] = []
        self._positions: dict[Path, Positions] = {}

    def accept(self, kept: list[Finding], batch: list[Finding]) -> list[Finding]:
        """The largest part of the batch that can be fixed together with the findings already kept."""
        objection = self._objection([*kept, *batch], batch)
        if objection is None:
            return [*kept, *batch]
        if len(batch) == 1:
            self.refused.append(objection)
            return kept
        middle = len(batch) // 2
        return self.accept(self.accept(kept, batch[:middle]), batch[middle:])

    def with_follow_ups(self, finding: Finding) -> tuple[list[Fixed], Texts] | None:
        """The fix of one finding and of those that it causes: what is fixed, and the new texts. None if any is left."""
        step, todo = self, [finding]
        fixed: list[Fixed] = []
        texts: Texts = {}
        for _ in range(MAX_FOLLOW_UPS):
            try:
                edited = step.edited(todo)
            except (IndexError, KeyError):
                return None
            if step._moved(todo, edited):
                return None
            fixed += step.described(todo)
            texts |= edited
            objection = self._caused(self._texts | texts, [finding])
            if objection is None:
                return fixed, texts
            if not objection.causes_another:
                return None
            step = _Pass(self._path, self._environment, self._select, self._texts | texts)
            known = self._before[self._environment] or Counter()
            todo = _without_overlaps([f for f in step.outcome.findings if f.edits and not known[_key(f)]])
            if not todo:
                return None
        return None

    def edited(self, findings: Sequence[Finding]) -> Texts:
        return {path: apply_edits(self.texts[path], edits) for path, edits in self._edits(findings).items()}

    def described(self, findings: Sequence[Finding]) -> Iterator[Fixed]:
        for finding in findings:
            edit = finding.edits[0]
            yield Fixed(finding, self._text_at(edit), edit.text)

    def _text_at(self, edit: Edit) -> str:
        """The text that an edit replaces."""
        path = self._by_name[edit.location.file]
        if path not in self._positions:
            self._positions[path] = Positions(self.texts[path])
        start, end = self._positions[path].span(edit.location)
        return self.texts[path][start:end]

    def _edits(self, findings: Sequence[Finding]) -> dict[Path, list[Edit]]:
        edits: dict[Path, list[Edit]] = {}
        for finding in findings:
            for edit in finding.edits:
                edits.setdefault(self._by_name[edit.location.file], []).append(edit)
        return edits

    def _objection(self, chosen: list[Finding], batch: list[Finding]) -> Refused | None:
        """Why these findings must not be fixed like this, of the first of the batch; None if they may."""
        try:
            edited = self.edited(chosen)
        except (IndexError, KeyError):
            return Refused(batch[0], "the files do not contain the place to edit")
        moved = self._moved(chosen, edited)
        return Refused(batch[0], moved) if moved else self._caused(self._texts | edited, batch)

    def _moved(self, chosen: list[Finding], edited: Texts) -> str:
        """What would change besides what the findings are about; empty if nothing would."""
        problems = (
            changed_elsewhere(self.texts[path], edited[path], edits) for path, edits in self._edits(chosen).items()
        )
        unsuited = (objection(finding, self._users) for finding in chosen)
        return self._of_template(chosen) or next(filter(None, chain(problems, unsuited)), "")

    def _caused(self, texts: Texts, batch: list[Finding]) -> Refused | None:
        """What these texts would cause in any environment, or that a finding of the batch remains; None if neither."""
        for environment in self._environments:
            before, after = self._before[environment], self._counts(environment, texts)
            if after is None:
                return Refused(batch[0], "the files would no longer load")
            appeared = after - before if before is not None else Counter()
            if appeared:
                rule, _, resource = next(iter(appeared))
                reason = f"it would cause {rule} on {resource or 'the topology'}{_in(environment)}"
                return Refused(batch[0], reason, causes_another=True)
            if environment == self._environment and before is not None:
                gone = before - after
                if any(_key(finding) not in gone for finding in batch):
                    return Refused(batch[0], "the finding would remain")
        return None

    def _of_template(self, chosen: Sequence[Finding]) -> str:
        """Why an edit would change topics of a `forEach` that do not need it; empty if none would."""
        for finding in chosen:
            topic = self._topics.get(finding.resource) if finding.kind == "topic" else None
            if topic is None or topic.instance is None:
                continue
            for edit in finding.edits:
                if "${each" in self._text_at(edit):
                    return "the value comes from an item of `forEach`; change it there"
            siblings = self._siblings[topic.location]
            if siblings - self._alike[finding.id, finding.edits]:
                return f"`forEach` makes {len(siblings)} topics from the value, and not all of them need the fix"
        return ""

    @cached_property
    def _siblings(self) -> dict[Location, set[str]]:
        """The topics of each `forEach`, by its place."""
        siblings: dict[Location, set[str]] = {}
        for name, topic in self._topics.items():
            if topic.instance is not None:
                siblings.setdefault(topic.location, set()).add(name)
        return siblings

    @cached_property
    def _alike(self) -> dict[tuple[str, tuple[Edit, ...]], set[str]]:
        """The resources with the same finding and the same edits."""
        alike: dict[tuple[str, tuple[Edit, ...]], set[str]] = {}
        for each in self.outcome.findings:
            alike.setdefault((each.id, each.edits), set()).add(each.resource)
        return alike

    def _judged(self, loaded: Loaded) -> Outcome:
        if loaded.topology is None:
            return Outcome(loaded.problems, (), (), frozenset())
        return run(loaded.topology, select=self._select)

    def _counts_before(self, environment: str | None) -> Counter[tuple[str, str, str]] | None:
        loaded = load(self._path, environment, texts=self._texts)
        if loaded.topology is None:
            return None
        findings = self._judged(loaded).findings
        self._users.append(Users(environment, loaded.topology, findings))
        return Counter(_key(finding) for finding in findings)

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
    return without_overlaps(findings, lambda finding: finding.edits)
