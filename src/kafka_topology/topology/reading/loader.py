"""Files to one resolved topology, or to every problem they hold."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from .collector import many_new_objects
from .entries import BROKEN, Entry, Origin
from .findings import Finding, Severity, in_reading_order
from .ignores import comment_ignores
from .language import DOCUMENT
from .merge import merge_documents, unknown_environment, with_environment
from .model import Topology
from .nodes import BadYaml, compose
from .places import Layer, Location
from .reading import Reading
from .resolve import Basis, Resolver, problems_of_environment
from .source import SourceFile, Sources, read_into, read_sources


@dataclass(frozen=True, slots=True)
class Loaded:
    """A topology, or the problems that keep it from being one. Never both."""

    topology: Topology | None
    problems: tuple[Finding, ...]
    files: tuple[SourceFile, ...] = field(repr=False)

    def line(self, location: Location) -> str:
        """The line of text that a location points at, to be quoted."""
        return next((file.line(location.line) for file in self.files if file.name == location.file), "")


def load(
    path: str | Path,
    environment: str | None = None,
    *,
    environment_optional: bool = False,
    texts: Mapping[Path, str] | None = None,
) -> Loaded:
    """Loads one file, or all YAML files below a folder, with one environment laid over them.

    With `environment_optional`, an environment that is not declared is left out instead of being a problem: so a
    Pulumi stack may have any name. `texts` stand in for what is on the disk, to judge an edit before it is written.
    """
    with many_new_objects():
        return _load(Path(path), environment, environment_optional, texts or {})


def _load(path: Path, environment: str | None, environment_optional: bool, texts: Mapping[Path, str]) -> Loaded:
    sources = read_sources(path, texts)
    findings: list[Finding] = []
    documents = _decode_all(sources, findings)
    findings += [
        Finding("KT001", Severity.ERROR, bad.message, bad.location, "", bad.remediation) for bad in sources.unreadable
    ]
    files = tuple(sources.files)
    if not documents:
        return Loaded(None, in_reading_order(findings), files)
    merged = merge_documents(documents, findings)
    chosen = environment if environment in merged.environments else None
    if environment != chosen and not environment_optional and "environments" not in merged.broken:
        findings.append(unknown_environment(merged, environment or "", documents[0]))
    # A file that cannot be read may declare anything, so nothing is called unknown or missing.
    unread = len(documents) < len(files) + len(sources.unreadable)
    basis = Basis(documents[0], sources.root, None if unread else frozenset(merged.broken))
    resolver = Resolver(with_environment(merged.sections, chosen) if chosen else merged.sections, basis)
    topology = resolver.topology(chosen, comment_ignores(files, documents))
    findings += resolver.findings
    for name in merged.environments:
        if name != chosen:
            findings += problems_of_environment(merged.sections, name, basis)
    if findings:
        return Loaded(None, in_reading_order(_once(findings)), files)
    return Loaded(topology, (), files)


def _decode_all(sources: Sources, findings: list[Finding]) -> list[Entry]:
    """Every file, and what they include in turn."""
    documents = []
    position = 0
    while position < len(sources.files):
        document = _decode(sources.files[position], findings)
        position += 1
        if document is not None:
            documents.append(document)
            _read_includes(document, sources)
    return documents


def _decode(file: SourceFile, findings: list[Finding]) -> Entry | None:
    try:
        root = compose(file.text)
    except BadYaml as bad:
        at = Location(file.name, bad.line, bad.column, bad.line, bad.column + 1)
        findings.append(Finding("KT001", Severity.ERROR, bad.message, at, "", bad.remediation))
        return None
    if root is None:
        at = Location(file.name, 1, 1, 1, 2)
        message = "the file is empty"
        findings.append(Finding("KT001", Severity.ERROR, message, at, "", "start it with `version: 1`"))
        return None
    reading = Reading(Origin(file.name, Layer.RESOURCE), findings)
    document = DOCUMENT.decode(root, reading)
    if document is not None and "version" not in document.value:
        reading.problem("KT003", root, "`version` is missing", "start the file with `version: 1`")
    return document


def _read_includes(document: Entry, sources: Sources) -> None:
    include = document.value.get("include")
    if include is None or include.value is BROKEN:
        return
    for entry in include.value:
        path = Path(os.path.normpath(Path(entry.origin.file).parent / entry.value))
        read_into(sources, path, entry.location)


def _once(findings: list[Finding]) -> list[Finding]:
    """An anchor's problem is met wherever the anchor is used, and an environment's in several environments."""
    return list({(found.id, found.location, found.message): found for found in findings}.values())
