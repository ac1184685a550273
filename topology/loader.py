"""Files to one resolved topology, or to every problem they hold."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from .entries import Entry, Origin
from .fields import Reading
from .findings import Finding, Severity, in_reading_order
from .ignores import comment_ignores
from .language import DOCUMENT
from .merge import merge_documents, unknown_environment, with_environment
from .model import Topology
from .nodes import BadYaml, MappingNode, compose, many_new_objects
from .places import Layer, Location
from .resolve import Resolver
from .source import SourceFile, Sources, read_into, read_sources


@dataclass(frozen=True, slots=True)
class Loaded:
    """A topology, or the problems that keep it from being one. Never both."""

    topology: Topology | None
    problems: tuple[Finding, ...]
    files: tuple[SourceFile, ...] = field(repr=False)

    def line(self, location: Location) -> str:
        """The line of text that a location points at, to be quoted."""
        file = next((f for f in self.files if f.name == location.file), None)
        return file.line(location.line) if file is not None else ""


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
    documents: list[Entry] = []
    position = 0
    while position < len(sources.files):
        file = sources.files[position]
        position += 1
        document = _decode(file, findings)
        if document is not None:
            documents.append(document)
            _read_includes(document, sources)
    findings += [
        Finding("KT001", Severity.ERROR, bad.message, bad.location, "", bad.remediation) for bad in sources.unreadable
    ]
    files = tuple(sources.files)
    if not documents:
        return Loaded(None, in_reading_order(findings), files)
    sections = merge_documents(documents, findings)
    declared = sections["environments"].value if "environments" in sections else {}
    if environment is not None and environment not in declared:
        if not environment_optional:
            findings.append(unknown_environment(sections, environment, documents[0]))
        environment = None
    resolver = Resolver(
        with_environment(sections, environment) if environment is not None else sections,
        documents[0],
        sources.root,
        environment,
        comment_ignores(files, documents),
    )
    topology = resolver.topology()
    findings += resolver.findings
    if findings:
        return Loaded(None, in_reading_order(findings), files)
    return Loaded(topology, (), files)


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
    if document is not None and isinstance(root, MappingNode) and not _has_version(root):
        reading.problem("KT003", root, "`version` is missing", "start the file with `version: 1`")
    return document


def _has_version(root: MappingNode) -> bool:
    return any(key.value == "version" for key, _ in root.value)


def _read_includes(document: Entry, sources: Sources) -> None:
    include = document.value.get("include")
    for entry in include.value if include is not None else ():
        path = Path(entry.origin.file).parent / entry.value
        known = {file.path.resolve() for file in sources.files}
        if path.resolve() not in known:
            read_into(sources, path, entry.location)
