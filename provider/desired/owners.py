"""Finds the owner of each principal."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from kafka_topology.topology.model.declared import ConsumerGroup, Producer, ShareGroup, StreamsApplication, Topology


def owners(topology: Topology) -> Mapping[str, str]:
    """The owner of each principal, if everything that uses it has the same owner."""
    clients: tuple[Producer | ConsumerGroup | ShareGroup | StreamsApplication, ...] = (
        *topology.producers.values(),
        *topology.consumer_groups.values(),
        *topology.share_groups.values(),
        *topology.streams.values(),
    )
    teams: dict[str, set[str | None]] = {}
    for client in clients:
        for principal in client.principals:
            teams.setdefault(principal, set()).add(client.owner)
    return {principal: team for principal, (team, *others) in teams.items() if team is not None and not others}
