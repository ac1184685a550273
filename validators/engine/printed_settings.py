"""What the rules still say about clients that run with the settings that `kafka-topology clients` prints."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from kafka_topology.topology.kafka.clients.formats import in_own_names
from kafka_topology.topology.kafka.clients.model import Client, ClientKind
from kafka_topology.topology.model.declared import Topology
from kafka_topology.topology.model.findings import Severity

from .run import run

_SECTIONS: dict[ClientKind, tuple[str, str]] = {
    "producer": ("producers", "producer"),
    "consumer": ("consumer_groups", "group"),
    "share-consumer": ("share_groups", "shareGroup"),
    "streams": ("streams", "streams"),
}


def with_errors(topology: Topology, clients: Iterable[Client]) -> tuple[Client, ...]:
    """The clients with a note for each error that their printed settings do not remove.

    So `clients` never prints in silence what `validate` refuses.
    """
    clients = tuple(clients)
    sections: dict[str, Any] = {name: dict(getattr(topology, name)) for name, _ in _SECTIONS.values()}
    for client in clients:
        section = sections[_SECTIONS[client.kind][0]]
        section[client.name] = replace(section[client.name], config=in_own_names(client))
    left: dict[tuple[str, str], list[str]] = {}
    for finding in run(replace(topology, **sections)).findings:
        if finding.severity is Severity.ERROR:
            text = finding.message.removeprefix(f"{finding.resource}: ")
            left.setdefault((finding.kind, finding.resource), []).append(f"error {finding.id}: {text}")
    return tuple(
        replace(client, notes=(*client.notes, *left.get((_SECTIONS[client.kind][1], client.name), ())))
        for client in clients
    )
