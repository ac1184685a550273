"""Merges several files into one document, and applies an environment."""

from __future__ import annotations

from dataclasses import dataclass

from ..located.entries import BROKEN, Entry, node_location, overlay
from ..model.findings import Finding, Related, Severity
from ..model.places import Location
from ..model.words import did_you_mean

# Sections with resources by name; lists that files and environments extend; and structures.
_RESOURCES = (
    "patterns",
    "profiles",
    "topics",
    "producers",
    "consumerGroups",
    "shareGroups",
    "streams",
    "users",
    "rules",
)
_LISTS = ("acls", "quotas", "accept")
_STRUCTURES = ("cluster", "ownership")

Sections = dict[str, Entry]


@dataclass(slots=True)
class Merged:
    """All files as one document. `broken` names sections that could not be read and may contain anything."""

    sections: Sections
    broken: set[str]

    @property
    def environments(self) -> dict[str, Entry]:
        declared = self.sections.get("environments")
        return declared.value if declared is not None else {}


def merge_documents(documents: list[Entry], findings: list[Finding]) -> Merged:
    """Merge all files. A resource declared in two of them is a finding that shows both places."""
    merged = Merged({}, set())
    for document in documents:
        _merge_sections(merged.sections, document.value, findings, merged.broken, inside="")
    return merged


def _merge_sections(into: Sections, sections: Sections, findings: list[Finding], broken: set[str], inside: str) -> None:
    for name, section in sections.items():
        present = into.get(name)
        if section.value is BROKEN:
            broken.add(name)
        elif name == "environments":
            _merge_environments(into, section, findings, broken)
        elif present is None:
            # A copy, because other files add to it.
            value = dict(section.value) if isinstance(section.value, dict) else section.value
            into[name] = Entry(value, section.node, section.origin, section.key)
        elif name in _LISTS:
            into[name] = _joined(present, section)
        elif name in _RESOURCES or name in _STRUCTURES:
            _unite(
                present.value,
                section.value,
                findings,
                inside + (f"{name}." if name in _STRUCTURES else ""),
            )


def _merge_environments(into: Sections, section: Entry, findings: list[Finding], broken: set[str]) -> None:
    known = into.setdefault("environments", Entry({}, section.node, section.origin, section.key))
    for name, environment in section.value.items():
        if environment.value is BROKEN:
            broken.add("environments")
            continue
        place = known.value.get(name, environment)
        value = dict(place.value) if name in known.value else {}
        known.value[name] = Entry(value, place.node, place.origin, place.key)
        _merge_sections(value, environment.value, findings, broken, f"environment {name}: ")


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
                    "keep one of the two, or move the differences into an environment",
                    (Related(_key_location(first), "first here"),),
                )
            )


def with_environment(base: Sections, name: str) -> Sections:
    """The base with one environment applied."""
    over: Sections = base["environments"].value[name].value
    result = dict(base)
    for section, entry in over.items():
        below = base.get(section)
        if below is None:
            result[section] = entry
        elif section in _LISTS:
            result[section] = _joined(below, entry)
        else:
            result[section] = overlay(below, entry, stands_at_base=True)
    return result


def unknown_environment(merged: Merged, wanted: str, at: Entry) -> Finding:
    known = list(merged.environments)
    others = f"choose one of {', '.join(known)}" if known else "declare it under `environments:`"
    fix = did_you_mean(wanted, known) or others
    declared = merged.sections.get("environments", at)
    return Finding("KT006", Severity.ERROR, f"no environment is called `{wanted}`", declared.location, "", fix)


def _joined(first: Entry, second: Entry) -> Entry:
    return Entry([*first.value, *second.value], first.node, first.origin, first.key)


def _key_location(entry: Entry) -> Location:
    return node_location(entry.key if entry.key is not None else entry.node, entry.origin.file)
