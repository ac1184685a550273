"""Reviews the two loaded versions of an environment."""

from __future__ import annotations

from dataclasses import dataclass

from ..topology.model.declared import Topology
from ..topology.reading.collector import many_new_objects
from ..validators import validate
from .compare import compare
from .graph import changed_graph
from .live import Live
from .result import EnvironmentReview, split_known
from .whatif import any_broker


@dataclass(frozen=True, slots=True)
class Pair:
    """The two versions of one environment; `before` is None if there is no earlier version."""

    environment: str | None
    before: Topology | None
    after: Topology


def review_pair(pair: Pair, live: Live | None = None) -> EnvironmentReview:
    with many_new_objects():
        return _review(pair, live)


def _review(pair: Pair, live: Live | None) -> EnvironmentReview:
    before, after = pair.before, pair.after
    if before is None:
        return EnvironmentReview(pair.environment, (), validate(after), (), any_broker(after, live))
    findings = validate(after, before=before)
    changes = compare(before, after, findings, live)
    new, known = split_known(findings, validate(before))
    graph = changed_graph(before, after, changes)
    return EnvironmentReview(pair.environment, changes, new, known, any_broker(after, live), graph)
