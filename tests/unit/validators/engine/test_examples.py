"""Examples that are derived from one another."""

from __future__ import annotations

import pytest

from kafka_topology.validators import changed

TEXT = "topics:\n  orders: {partitions: 6, replication: 3}\n  returns: {partitions: 6, replication: 3}\n"


def test_the_rest_of_an_example_stays() -> None:
    assert changed(TEXT, {"orders: {partitions: 6": "orders: {partitions: 1", "returns": "refunds"}) == (
        "topics:\n  orders: {partitions: 1, replication: 3}\n  refunds: {partitions: 6, replication: 3}\n"
    )


@pytest.mark.parametrize(("old", "found"), [("partition: 6", 0), ("partitions: 6", 2)])
def test_what_is_replaced_must_occur_once(old: str, found: int) -> None:
    with pytest.raises(ValueError, match=f"'{old}' occurs {found} times in the example; expected once"):
        changed(TEXT, {old: "partitions: 1"})
