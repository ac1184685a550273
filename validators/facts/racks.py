"""How Kafka spreads the replicas of a partition across racks."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from kafka_topology.topology.model.declared import Cluster
from kafka_topology.topology.model.places import Layer, Place


def brokers_by_rack(cluster: Cluster) -> Mapping[str, int]:
    """The number of brokers in each rack; empty unless the rack of every broker is known."""
    racks = [broker.rack for broker in cluster.brokers or ()]
    return Counter(rack for rack in racks if rack is not None) if None not in racks else {}


def most_in_one_rack(replicas: int, brokers: Mapping[str, int]) -> int:
    """The most replicas of one partition that share a rack.

    Kafka places them rack by rack in turns, one for each, as long as a rack has a broker left. The racks that get one
    more in the last turn differ from partition to partition.
    """
    turns = next(turn for turn in range(1, replicas + 1) if _placed(turn, brokers) >= replicas)
    return max(min(turns, count) for count in brokers.values())


def _placed(turns: int, brokers: Mapping[str, int]) -> int:
    return sum(min(turns, count) for count in brokers.values())


def racks_place(cluster: Cluster) -> Place:
    """Where the racks are declared, by themselves or with the brokers."""
    return cluster.place("racks" if cluster.place("racks").layer is not Layer.LANGUAGE else "brokers")
