"""Reviews the two loaded versions of an environment."""

from __future__ import annotations

from dataclasses import dataclass

from ..topology.model.declared import Topology
from ..topology.reading.collector import many_new_objects
from ..validators import validate
from ..validators.facts.changes import SchemaHistory
from .capacity import changed_capacity
from .compare import compare_versions, relocated
from .graph import changed_graph
from .live import Live
from .result import EnvironmentReview, split_known
from .versions import Versions
from .what_if.question import any_broker


@dataclass(frozen=True, slots=True)
class Pair:
    """The two versions of one environment; `before` is None if there is no earlier version.

    `history` has the texts of schemas before the earlier version.
    """

    environment: str | None
    before: Topology | None
    after: Topology
    history: SchemaHistory = lambda _: None


def review_pair(pair: Pair, live: Live | None = None) -> EnvironmentReview:
    with many_new_objects():
        return _review(pair, live)


def _review(pair: Pair, live: Live | None) -> EnvironmentReview:
    before, after = pair.before, pair.after
    if before is None:
        return EnvironmentReview(pair.environment, (), validate(after), (), any_broker(after, live))
    was = any_broker(before, live)
    findings = validate(after, before=before, history=pair.history)
    versions = Versions(before, after, live, pair.history)
    changes = compare_versions(versions, findings)
    new, known = split_known(relocated(findings, changes), validate(before))
    graph = changed_graph(before, after, changes)
    return EnvironmentReview(
        pair.environment,
        changes,
        new,
        known,
        any_broker(after, live, before),
        graph,
        was,
        after.accept,
        before.accept,
        changed_capacity(versions),
    )
