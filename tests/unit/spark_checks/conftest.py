"""Declared topics without files."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from kafka_topology.topology.model.declared import Topic
from kafka_topology.topology.model.places import Layer, Location, Place


@pytest.fixture(scope="session")
def make_topic() -> Callable[..., Topic]:
    def make(name: str = "shop.orders", partitions: int = 12, **declared: object) -> Topic:
        place = Place(Layer.RESOURCE, Location("topology.yaml", 1, 1, 1, 1))
        return Topic(place=lambda *_: place, name=name, partitions=partitions, replication=1, **declared)

    return make
