"""How many replicas of a partition can be in one rack."""

from __future__ import annotations

import pytest

from kafka_topology.validators.facts.racks import most_in_one_rack


@pytest.mark.parametrize(
    ("replicas", "brokers", "most"),
    [
        (3, {"a": 1, "b": 1, "c": 1}, 1),
        (3, {"a": 2, "b": 2}, 2),
        (4, {"a": 2, "b": 2}, 2),
        (3, {"a": 2, "b": 1}, 2),
        (2, {"a": 3, "b": 3}, 1),
        (5, {"a": 4, "b": 1}, 4),  # rack b has no second broker
        (3, {"a": 3}, 3),
    ],
)
def test_replicas_take_turns(replicas: int, brokers: dict[str, int], most: int) -> None:
    assert most_in_one_rack(replicas, brokers) == most
