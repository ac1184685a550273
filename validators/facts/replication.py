"""Topics with fewer replicas than they need."""

from __future__ import annotations

from collections.abc import Iterator

from ..engine.helpers import count_place
from ..engine.rule import Context, Problem


def with_replicas(context: Context, count: int, effect: str) -> Iterator[Problem]:
    """A problem for each topic with exactly this many replicas, which has this effect."""
    for topic in context.topology.topics.values():
        if topic.replication == count:
            yield Problem(
                f"{topic.name}: replication is {count}, so {effect}; expected 3",
                count_place(context.topology, topic, "replication"),
                topic.name,
                "set replication to 3 and min.insync.replicas to 2",
            )
