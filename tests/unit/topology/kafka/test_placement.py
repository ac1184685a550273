"""Where Kafka puts replicas."""

from __future__ import annotations

from collections import Counter

import pytest

from kafka_topology.topology.kafka.placement import placements, rack_shares


@pytest.mark.parametrize("replication", [1, 2, 3, 4, 5])
def test_the_shares_of_racks_are_those_of_placements(replication: int) -> None:
    brokers = {1: "a", 2: "a", 3: "a", 4: "b", 5: "c"}
    several = placements(300, replication, brokers)
    shares = rack_shares(replication, Counter(brokers.values()))
    assert sum(shares.values()) == pytest.approx(replication)
    for rack, share in shares.items():
        placed = [brokers[broker] for each in several for partition in each for broker in partition]
        assert placed.count(rack) / (len(several) * 300) == pytest.approx(share, abs=0.05)
