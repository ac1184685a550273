"""Is the cluster healthy enough to change it?"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

from ...topology.model.findings import Severity
from ...topology.model.words import counted
from ..step import Looked, Step

if TYPE_CHECKING:
    from ..facts import Facts

# What makes a change dangerous now, although an audit only warns of it: replicas that are not in sync or on the move.
BLOCKING: Final = frozenset({
    "KTA201", "KTA202", "KTA203", "KTA204", "KTA211", "KTA212", "KTA213", "KTA501", "KTA504", "KTA511", "KTA512",
    "KTA514", "KTA521", "KTA522", "KTA531",
})  # fmt: skip


def look(facts: Facts) -> Looked:
    """A severity that the files set for such a rule counts here as well."""
    found = tuple(
        finding if _is_set(facts, finding.id) else replace(finding, severity=Severity.ERROR)
        for finding in facts.found_by(BLOCKING)
    )
    said = (
        counted(len(found), "finding") if found else "brokers, in-sync replicas, controllers and reassignments are fine"
    )
    return Looked(said, found, facts.unread_by(BLOCKING))


def _is_set(facts: Facts, rule: str) -> bool:
    setting = facts.topology.rules.get(rule)
    return setting is not None and setting.severity is not None


STEP = Step(
    name="health",
    order=50,
    asks="Are brokers, in-sync replicas, controllers and log directories fine, and is no reassignment under way?",
    look=look,
    uses=BLOCKING,
    blocks=BLOCKING,
)
