"""Which producer and which consumer group are one application: it reads, processes and writes."""

from __future__ import annotations

import re
from collections.abc import Iterator

from kafka_topology.topology.kafka.clients.libraries import given
from kafka_topology.topology.model.declared import ConsumerGroup, Producer, Topology


def transactional_halves(topology: Topology, group: ConsumerGroup) -> Iterator[Producer]:
    """The producers in whose transactions the group commits its offsets."""
    for producer in topology.producers.values():
        if transactional_id(producer) is not None and is_half_of(producer, group):
            yield producer


def transactional_id(producer: Producer) -> str | None:
    return producer.transactional_id or given(producer).get("transactional.id")


def is_half_of(producer: Producer, group: ConsumerGroup) -> bool:
    """Whether the two are one application: they share a principal, or their names say so."""
    if not set(producer.principals).isdisjoint(group.principals):
        return True
    whole = _plain(group.name)
    names = {_plain(producer.name), _plain((producer.transactional_id or "").rstrip("-"))}
    return whole in names or _plain(re.split(r"[._-]", group.name)[-1]) == _plain(producer.name)


def _plain(name: str) -> str:
    return re.sub(r"[._-]+", "-", name).lower()
