"""The limits that topics declare for checks, compared with the checks there are."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from kafka_topology.topology.model.declared import Topic
from kafka_topology.topology.model.words import did_you_mean

from .check import Check


def known_limits(topics: Iterable[Topic], checks: Sequence[Check]) -> None:
    """Raises ValueError for limits of a check that is not installed: they would limit nothing."""
    ids = [check.id for check in checks]
    for topic in topics:
        for name in topic.checks:
            if name not in ids:
                at = topic.name_place("checks", name).location
                hint = did_you_mean(name, ids) or f"expected one of {', '.join(ids)}"
                raise ValueError(
                    f"{at.file}:{at.line}: topic {topic.name} has limits for an unknown check {name}; {hint}"
                )
