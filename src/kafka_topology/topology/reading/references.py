"""Names that refer to something declared elsewhere, and files that must exist."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Any

from .entries import BROKEN, Entry
from .findings import Finding, Severity
from .model import Topology
from .places import Location
from .reading import short, suggestion
from .source import CannotUse, resolved_inside

# How many names are compared in search of the nearest one: thousands of times thousands would take minutes.
MAX_COMPARISONS = 50_000
# A larger file is hardly a schema, and is not compared.
MAX_SCHEMA = 4 * 2**20


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
        near = suggestion(name, known) if self._comparisons <= MAX_COMPARISONS else ""
        remedy = f"did you mean `{near}`?" if near else f"declare the {what}, or mend the name"
        self.problem("KT006", at, user, f"no {what} is called `{short(name)}`", remedy)

    def problem(self, rule: str, at: Location, resource: str, message: str, remediation: str) -> None:
        self._findings.append(Finding(rule, Severity.ERROR, message, at, resource, remediation))

    def schema_path(self, holder: Entry | None) -> str | None:
        """A schema's path from the root of the topology, whatever file named it."""
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
                if name not in self.schemas and path.stat().st_size <= MAX_SCHEMA:
                    self.schemas[name] = path.read_text(encoding="utf-8", errors="replace")
                return name
        except CannotUse as reason:
            self.problem("KT006", entry.location, "", f"`{written}` {reason.message}", reason.remediation)
            return None
        except OSError as error:
            message = f"`{written}` cannot be read: {(error.strerror or str(error)).lower()}"
            self.problem("KT006", entry.location, "", message, "mend the path: it is relative to this file")
            return None
        remedy = "add the schema, or mend the path: it is relative to this file"
        self.problem("KT006", entry.location, "", f"there is no file `{written}`", remedy)
        return None

    def check_topics(self, topology: Topology, declared: Mapping[str, Entry]) -> None:
        """Every topic that something names is declared, or lies outside the ownership: then it is someone else's."""
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
        check(topology.streams, "reads", "reads")
        check(topology.streams, "writes", "writes")
        check(topology.topics, "copartitioned_with", "copartitionedWith")
