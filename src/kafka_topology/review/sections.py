"""Changes of sections that no subject judges. They are reported, so a review of a new section is never silent."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import fields, is_dataclass
from typing import Any

from ..topology.language.document import DOCUMENT
from ..topology.model.declared import Topology
from .changes import UNJUDGED, Action, Change, unclassified_section
from .fields import changed_fields, dotted, shown
from .registry import judged_sections
from .versions import Versions

_SPELLED = {section.model_name: section.name for section in DOCUMENT.fields}
_MISSING = object()


def section_changes(versions: Versions) -> Iterator[Change]:
    """Every changed entry of a section that nobody judges; `name` is the section and the entry's own name."""
    old, new = versions.old.topology, versions.new.topology
    judged = judged_sections()
    for attribute in fields(new):
        before, after = (getattr(topology, attribute.name) for topology in (old, new))
        if not attribute.compare or attribute.name in judged or before == after:
            continue
        section = _SPELLED.get(attribute.name, attribute.name)
        was, now = _entries(before), _entries(after)
        for at in dict.fromkeys((*was, *now)):
            yield from _entry((old, new), (section, *at), (was.get(at, _MISSING), now.get(at, _MISSING)))


def _entries(value: Any) -> dict[tuple[str | int, ...], Any]:
    """The entries of a section by name or index; one without entries is its own."""
    if isinstance(value, Mapping):
        return {(name,): entry for name, entry in value.items()}
    if isinstance(value, list | tuple):
        return {(index,): entry for index, entry in enumerate(value)}
    return {} if value is None else {(): value}


def _entry(
    topologies: tuple[Topology, Topology], at: tuple[str | int, ...], values: tuple[Any, Any]
) -> Iterator[Change]:
    before, after = values
    if before is _MISSING:
        yield _change(topologies, at, "add")
    elif after is _MISSING:
        yield _change(topologies, at, "remove")
    elif before != after:
        section, is_written = str(at[0]), at[0] in DOCUMENT.by_name and is_dataclass(after)
        differing = list(changed_fields(section, before, after)) if is_written else []
        for path, was, now in differing:
            yield _change(topologies, at, "change", dotted(path), (shown(was, path[-1]), shown(now, path[-1])))
        if not differing:
            # A whole record could hold a secret; only a plain value is shown.
            pair = (
                ("a record", "another record")
                if is_dataclass(after)
                else (shown(before, str(at[-1])), shown(after, str(at[-1])))
            )
            yield _change(topologies, at, "change", values=pair)


def _change(
    topologies: tuple[Topology, Topology],
    at: tuple[str | int, ...],
    action: Action,
    path: str = "",
    values: tuple[str | None, str | None] = (None, None),
) -> Change:
    verdict = unclassified_section()
    was_at, location = (topology.place(*at).location for topology in topologies)
    return Change(
        kind=UNJUDGED,
        name=dotted(tuple(str(part) for part in at)),
        action=action,
        path=path,
        before=values[0],
        after=values[1],
        location=None if action == "remove" else location,
        was_at=None if action == "add" else was_at,
        risk=verdict.risk,
        reason=verdict.reason,
    )
