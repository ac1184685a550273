"""Several files to one document, and an environment laid over it."""

from __future__ import annotations

from .entries import Entry, node_location, overlay
from .fields import suggestion
from .findings import Finding, Related, Severity
from .places import Location

# Sections whose items are resources, and those that are lists to which files and environments add.
_RESOURCES = (
    "patterns",
    "profiles",
    "topics",
    "producers",
    "consumerGroups",
    "streams",
    "users",
    "rules",
)
_LISTS = ("acls", "quotas")
_RECORDS = ("cluster", "ownership")

Sections = dict[str, Entry]


def merge_documents(documents: list[Entry], findings: list[Finding]) -> Sections:
    """All files as one document. The same thing in two files is a problem that shows both places."""
    merged: Sections = {}
    for document in documents:
        _merge_sections(merged, document.value, findings, inside="")
    return merged


def _merge_sections(into: Sections, sections: Sections, findings: list[Finding], inside: str) -> None:
    for name, section in sections.items():
        present = into.get(name)
        if present is None:
            # A copy, because other files add to it.
            value = dict(section.value) if isinstance(section.value, dict) else section.value
            into[name] = Entry(value, section.node, section.origin, section.key)
        elif name in _LISTS:
            into[name] = _joined(present, section)
        elif name == "environments":
            for environment, entry in section.value.items():
                known = present.value.setdefault(environment, entry)
                if known is not entry:
                    value = dict(known.value)
                    present.value[environment] = Entry(value, known.node, known.origin, known.key)
                    _merge_sections(value, entry.value, findings, f"environment {environment}: ")
        elif name in _RESOURCES or name in _RECORDS:
            _unite(
                present.value,
                section.value,
                findings,
                inside + (f"{name}." if name in _RECORDS else ""),
            )


def _unite(into: dict[str, Entry], more: dict[str, Entry], findings: list[Finding], inside: str) -> None:
    for name, entry in more.items():
        first = into.setdefault(name, entry)
        if first is not entry:
            message = f"{inside}`{name}` is declared twice; first at {_key_location(first)}"
            findings.append(
                Finding(
                    "KT005",
                    Severity.ERROR,
                    message,
                    _key_location(entry),
                    name,
                    "keep one of the two, or move what differs into an environment",
                    (Related(_key_location(first), "first here"),),
                )
            )


def with_environment(base: Sections, name: str) -> Sections:
    """The base with one environment over it."""
    environments = base.get("environments")
    over: Sections = environments.value[name].value if environments is not None else {}
    result = dict(base)
    for section, entry in over.items():
        below = base.get(section)
        if below is None:
            result[section] = entry
        elif section in _LISTS:
            result[section] = _joined(below, entry)
        else:
            result[section] = _under_its_own_name(below, overlay(below, entry))
    return result


def unknown_environment(sections: Sections, wanted: str, at: Entry) -> Finding:
    environments = sections.get("environments")
    known = list(environments.value) if environments is not None else []
    near = suggestion(wanted, known)
    remedy = (
        f"did you mean `{near}`?"
        if near
        else f"choose one of {', '.join(known)}"
        if known
        else "declare it under `environments:`"
    )
    return Finding("KT006", Severity.ERROR, f"no environment is called `{wanted}`", at.location, "", remedy)


def _joined(first: Entry, second: Entry) -> Entry:
    return Entry([*first.value, *second.value], first.node, first.origin, first.key)


def _under_its_own_name(base: Entry, merged: Entry) -> Entry:
    return Entry(merged.value, base.node, base.origin, base.key)


def _key_location(entry: Entry) -> Location:
    return node_location(entry.key if entry.key is not None else entry.node, entry.origin.file)
