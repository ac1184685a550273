"""Which quota limits a client, and which clients share it, as the brokers decide it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Literal

from kafka_topology.topology.kafka.clients.libraries import given
from kafka_topology.topology.model.declared import Client, ConsumerGroup, Producer, Quota, ShareGroup
from kafka_topology.topology.model.places import Place

Direction = Literal["producer", "consumer"]
DEFAULT = "default"  # a user or client id without a quota of its own


@dataclass(frozen=True, slots=True)
class Limited:
    """Clients that share one quota. Each user or client id of a default quota has a limit of its own."""

    user: str | None
    client: str | None
    direction: Direction
    rate: int
    place: Place = field(compare=False)

    @property
    def whom(self) -> str:
        parts = (self.user, f"client {self.client}" if self.client is not None else None)
        return ", ".join(part for part in parts if part is not None)


class Quotas:
    """All quotas of a topology."""

    def __init__(self, quotas: Iterable[Quota]) -> None:
        self._rates: dict[tuple[Direction, str | None, str | None], tuple[int, Place]] = {}
        for quota in quotas:
            for direction, rate in _rates(quota):
                place = quota.place(f"{direction}ByteRate")
                self._rates[direction, quota.user, quota.client_id] = (rate, place)
        self._named = {(direction, user) for direction, user, client in self._rates if client not in (None, DEFAULT)}

    def limiting(self, user: str, client: str | None, name: str, direction: Direction) -> Limited | None:
        """What limits a client; None if nothing does, or if it is not known because the client id is not.

        `name` of the client stands for a client id that nobody declares.
        """
        for of_user in (user, DEFAULT, None):
            if client is None and (direction, of_user) in self._named:
                return None
            for of_client in (*((client,) if client is not None else ()), DEFAULT, None):
                found = self._rates.get((direction, of_user, of_client))
                if found is not None:
                    shared_by = None if of_client is None else client or name
                    return Limited(None if of_user is None else user, shared_by, direction, *found)
        return None


def client_id(client: Client) -> str | None:
    """The client id, if it is declared. Kafka Streams adds a suffix of its own to it."""
    if isinstance(client, ShareGroup):
        return client.config.get("client.id")
    return given(client).get("client.id") if isinstance(client, Producer | ConsumerGroup) else None


def _rates(quota: Quota) -> Iterator[tuple[Direction, int]]:
    if quota.producer_byte_rate is not None:
        yield "producer", quota.producer_byte_rate
    if quota.consumer_byte_rate is not None:
        yield "consumer", quota.consumer_byte_rate
