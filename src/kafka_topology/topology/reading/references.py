"""Names that refer to something declared elsewhere, and files that must exist."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from ..located.decoding import short
from ..located.entries import BROKEN, Entry
from ..model.declared import Topology
from ..model.findings import Finding, Related, Severity
from ..model.places import Location
from ..model.schema_files import referred
from ..model.words import did_you_mean
from .source import CannotUse, resolved_inside

# How many names are compared in search of the nearest one: thousands of times thousands would take minutes.
MAX_COMPARISONS = 50_000
# A larger file is hardly a schema, and is not compared.
MAX_SCHEMA = 4 * 2**20
MAX_SCHEMAS = 100_000


class References:
    """Reports what refers to nothing. `broken` names the sections that could not be read; None means all of them."""

    def __init__(self, root: Path, broken: frozenset[str] | None, findings: list[Finding]) -> None:
        self._root = root
        self._broken = broken
        self._findings = findings
        self._comparisons = 0
        self.schemas: dict[str, str] = {}  # the text of each schema file, by its path

    def is_unread(self, section: str) -> bool:
        return self._broken is None or section in self._broken

    def unknown(self, at: Location, name: str, user: str, known: Collection[str], *, what: str, section: str) -> None:
        if self.is_unread(section):
            return
        self._comparisons += len(known)
        near = did_you_mean(name, known) if self._comparisons <= MAX_COMPARISONS else ""
        fix = near or f"declare the {what}, or correct the name"
        self.problem("KT006", at, user, f"no {what} is called `{short(name)}`", fix)

    def problem(self, rule: str, at: Location, resource: str, message: str, fix: str) -> None:
        self._findings.append(Finding(rule, Severity.ERROR, message, at, resource, fix))

    def check_quotas(self, topology: Topology) -> None:
        """Kafka has one quota for a user and client id."""
        first: dict[tuple[str | None, str | None], Location] = {}
        for quota in topology.quotas:
            at = quota.location
            held = first.setdefault((quota.user, quota.client_id), at)
            if held != at:
                parts = (("user", quota.user), ("client id", quota.client_id))
                who = " and ".join(f"{word} `{name}`" for word, name in parts if name is not None)
                message = f"the quota of {who} is declared twice; first at {held}"
                fix = "keep one of the two, or declare it in each environment"
                related = (Related(held, "first here"),)
                self._findings.append(Finding("KT005", Severity.ERROR, message, at, "", fix, related))

    def schema_path(self, holder: Entry | None) -> str | None:
        """A schema's path relative to the root of the topology, whichever file refers to it."""
        if holder is None or holder.value is BROKEN:
            return None
        entry = holder.value.get("schema")
        if entry is None or entry.value is BROKEN:
            return None
        written = short(entry.value)
        try:
            path = resolved_inside(Path(entry.origin.file).parent / entry.value, self._root)
            if path.is_file():
                name = path.relative_to(self._root).as_posix()
                self._read_schema(name, path)
                return name
        except CannotUse as reason:
            self.problem("KT006", entry.location, "", f"`{written}` {reason.message}", reason.fix)
            return None
        except OSError as error:
            message = f"`{written}` cannot be read: {(error.strerror or str(error)).lower()}"
            self.problem("KT006", entry.location, "", message, "correct the path: it is relative to this file")
            return None
        fix = "add the schema, or correct the path: it is relative to this file"
        self.problem("KT006", entry.location, "", f"there is no file `{written}`", fix)
        return None

    def _read_schema(self, name: str, path: Path) -> None:
        """Also the files that it refers to: a change of one of them changes the schema."""
        left = [(name, path)]
        while left and len(self.schemas) < MAX_SCHEMAS:
            name, path = left.pop()
            if name in self.schemas or path.stat().st_size > MAX_SCHEMA:
                continue
            self.schemas[name] = path.read_text(encoding="utf-8", errors="replace")
            for other in referred(name, self.schemas[name]):
                with suppress(CannotUse, OSError):  # the check of records says what cannot be read
                    found = resolved_inside(self._root / other, self._root)
                    if found.is_file():
                        left.append((found.relative_to(self._root).as_posix(), found))

    def check_topics(self, topology: Topology, declared: Mapping[str, Entry]) -> None:
        """Report topics that are used but not declared, unless they are outside the ownership."""
        owned = topology.ownership.topics

        def check(holders: Mapping[str, Any], attribute: str, field: str) -> None:
            for name, thing in holders.items():
                for index, topic in enumerate(getattr(thing, attribute)):
                    foreign = owned is not None and not topic.startswith(owned)
                    if topic not in declared and not foreign:
                        at = thing.place(field, topic if field == "assign" else index).location
                        self.unknown(at, topic, name, declared, what="topic", section="topics")

        check(topology.producers, "topics", "topics")
        check(topology.consumer_groups, "topics", "topics")
        check(topology.consumer_groups, "assign", "assign")
        check(topology.share_groups, "topics", "topics")
        check(topology.streams, "reads", "reads")
        check(topology.streams, "writes", "writes")
        check(topology.topics, "copartitioned_with", "copartitionedWith")
