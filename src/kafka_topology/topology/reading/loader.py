"""Loads files as one resolved topology, or returns all their findings."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path

from ..language.document import DOCUMENT
from ..language.templates import misplaced
from ..located.decoding import Reading
from ..located.entries import BROKEN, Entry, Origin
from ..located.nodes import BadYaml, compose
from ..located.secrets import Secrets
from ..model.declared import RuleSetting, Topology
from ..model.findings import Finding, Severity, in_reading_order
from ..model.places import Layer, Location
from ..model.words import fresh_guesses
from .collector import many_new_objects
from .ignores import comment_ignores
from .merge import Sections, merge_documents, unknown_environment, with_environment
from .resolve import Basis, Resolver, problems_of_environment
from .source import SourceFile, Sources, read_into, read_sources


@dataclass(frozen=True)
class Loaded:
    """A topology, or the findings that prevent one. Never both."""

    topology: Topology | None
    problems: tuple[Finding, ...]
    files: tuple[SourceFile, ...] = field(repr=False)
    secrets: Mapping[str, Secrets] = field(default_factory=dict, repr=False)  # by the name of the file
    rules: Mapping[str, RuleSetting] = field(default_factory=dict, repr=False)  # also without a topology

    def line(self, location: Location) -> str:
        """The line of text at a location, to quote it, with asterisks in place of secrets."""
        file = self._by_name.get(location.file)
        if file is None:
            return ""
        line = file.line(location.line)
        return self.secrets[file.name].masked(location.line, line) if file.name in self.secrets else line

    @cached_property
    def _by_name(self) -> Mapping[str, SourceFile]:
        return {file.name: file for file in self.files}


def load(
    path: str | Path,
    environment: str | None = None,
    *,
    environment_optional: bool = False,
    texts: Mapping[Path, str] | None = None,
) -> Loaded:
    """Load one file, or all YAML files below a folder, and apply an environment.

    With `environment_optional`, an undeclared environment is ignored instead of reported: a Pulumi stack may have any
    name. `texts` replace the content of files on disk, to judge an edit before it is written.
    """
    fresh_guesses()
    with many_new_objects():
        return _load(Path(path), environment, environment_optional, texts or {})


def _load(path: Path, environment: str | None, environment_optional: bool, texts: Mapping[Path, str]) -> Loaded:
    sources = read_sources(path, texts)
    findings: list[Finding] = []
    secrets: dict[str, Secrets] = {}
    documents = _decode_all(sources, findings, secrets)
    findings += [Finding("KT001", Severity.ERROR, bad.message, bad.location, "", bad.fix) for bad in sources.unreadable]
    files = tuple(sources.files)
    if not documents:
        return Loaded(None, in_reading_order(findings), files, secrets)
    merged = merge_documents(documents, findings)
    chosen = environment if environment in merged.environments else None
    # An unreadable file may declare anything, so report nothing as unknown or missing.
    unread = len(documents) < len(files) + len(sources.unreadable)
    if environment != chosen and not (environment_optional or unread or "environments" in merged.broken):
        findings.append(unknown_environment(merged, environment or "", documents[0]))
    basis = Basis(documents[0], sources.root, None if unread else frozenset(merged.broken))
    resolver = Resolver(with_environment(merged.sections, chosen) if chosen else merged.sections, basis)
    topology = resolver.topology(chosen, comment_ignores(files, documents))
    findings += resolver.findings
    for name in merged.environments:
        if name != chosen:
            findings += problems_of_environment(merged.sections, name, basis)
    if findings:
        return Loaded(None, in_reading_order(_once(findings)), files, secrets, topology.rules)
    others = [name for name in (None, *merged.environments) if name != chosen]
    whole = replace(topology, elsewhere=lambda: (_resolved(merged.sections, name, basis) for name in others))
    return Loaded(whole, (), files, secrets, topology.rules)


def _resolved(sections: Sections, environment: str | None, basis: Basis) -> Topology:
    """Files without a finding in one environment, or without one."""
    laid_over = with_environment(sections, environment) if environment is not None else sections
    return Resolver(laid_over, basis).topology(environment, ())


def _decode_all(sources: Sources, findings: list[Finding], secrets: dict[str, Secrets]) -> list[Entry]:
    """Every file, and the files that they include."""
    documents = []
    position = 0
    while position < len(sources.files):
        document = _decode(sources.files[position], findings, secrets)
        position += 1
        if document is not None:
            documents.append(document)
            _read_includes(document, sources)
    return documents


def _decode(file: SourceFile, findings: list[Finding], secrets: dict[str, Secrets]) -> Entry | None:
    secrets[file.name] = Secrets(file.text, None)
    try:
        root = compose(file.text)
    except BadYaml as bad:
        at = Location(file.name, bad.line, bad.column, bad.line, bad.column + 1)
        findings.append(Finding("KT001", Severity.ERROR, bad.message, at, "", bad.fix))
        return None
    if root is None:
        at = Location(file.name, 1, 1, 1, 2)
        message = "the file is empty"
        findings.append(Finding("KT001", Severity.ERROR, message, at, "", "start it with `version: 1`"))
        return None
    secrets[file.name] = Secrets(file.text, root)
    reading = Reading(Origin(file.name, Layer.RESOURCE), findings, secrets[file.name])
    document = DOCUMENT.decode(root, reading)
    if "${each" in file.text:
        misplaced(root, reading)
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
    """Each finding once, although aliases and environments repeat it."""
    return list({(found.id, found.location, found.message): found for found in findings}.values())
