"""The pure core: compares a snapshot with the topology and returns findings."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from kafka_topology.topology.model.words import counted, escaped, listed

from ..cluster.outcomes import Failure, FailureKind
from ..provider.resources.descriptor import installed_kinds
from ..topology.model.findings import in_reading_order
from .registry import subjects

if TYPE_CHECKING:
    from ..topology.model.declared import Topology
    from ..topology.model.findings import Finding
    from .observing.snapshot import Snapshot
    from .subject import Options, Subject


_LASTING: Final = frozenset({FailureKind.DENIED, FailureKind.REFUSED, FailureKind.REJECTED})


@dataclass(frozen=True, slots=True)
class Audit:
    """`unread` says what could not be read or compared, and why. Some of it `may_pass`: a later look may read it."""

    findings: tuple[Finding, ...]
    unread: tuple[str, ...] = ()
    may_pass: bool = False


def audit(topology: Topology, live: Snapshot, options: Options | None = None) -> Audit:
    """Compares only what the topology declares. `options` holds the options of the checks, by id."""
    findings = [found for subject in _on(topology) for found in subject.compare(topology, live, options or {})]
    unread = dict(_unread(topology, live))
    # Two observations may fail for the same reason.
    reasons = tuple(dict.fromkeys(reason for reasons in unread.values() for reason in reasons))
    may_pass = any(reasons and _may_pass(live.seen[name]) for name, reasons in unread.items())
    return Audit(in_reading_order(findings), (*reasons, *_not_compared(topology)), may_pass)


def _on(topology: Topology) -> list[Subject]:
    return [subject for subject in subjects() if not subject.is_off(topology)]


def _unread(topology: Topology, live: Snapshot) -> Iterator[tuple[str, tuple[str, ...]]]:
    """What is missing of each observation, by its name."""
    observed = {each.name: each for subject in _on(topology) for each in subject.reads}
    for each in observed.values():
        yield each.name, tuple(map(escaped, each.unread(topology, live.of(each))))


def _may_pass(seen: object) -> bool:
    """Whether a later look may read what this one could not: no broker answered, instead of refusing."""
    items = seen.values() if isinstance(seen, Mapping) else (seen,)
    kinds = {each.kind for each in items if isinstance(each, Failure)} - {FailureKind.MISSING}
    return not kinds <= _LASTING if kinds else True


def _not_compared(topology: Topology) -> Iterator[str]:
    """Declared resources of kinds that no subject compares. Nobody looked at them, so they are not clean."""
    compared = {kind for subject in subjects() for kind in subject.kinds}
    for kind in installed_kinds().values():
        if kind.name not in compared and (names := [each.name for each in kind.desired(topology)]):
            yield (
                f"{counted(len(names), 'resource')} of the kind {kind.name} ({listed(names)}): "
                "an audit does not compare this kind"
            )
