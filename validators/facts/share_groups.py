"""All share groups of a topology, in whichever section they are declared."""

from __future__ import annotations

from collections.abc import Iterator

from kafka_topology.topology.model.declared import ConsumerGroup, ShareGroup, Topology


def declared_share_groups(topology: Topology) -> Iterator[tuple[str, ShareGroup | ConsumerGroup]]:
    """A group under `consumerGroups` is one if its `groupConfig` says so."""
    yield from topology.share_groups.items()
    for name, group in topology.consumer_groups.items():
        if group.is_share:
            yield name, group
