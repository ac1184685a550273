"""A connection to the new cluster. Only a start needs it, and with it the Kafka clients."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from kafka_topology.cluster.cluster import Cluster

_REQUEST_SECONDS = 3.0
# Brokers come up within seconds: try again at once.
_QUICK = {"socket.timeout.ms": "3000", "reconnect.backoff.ms": "20", "reconnect.backoff.max.ms": "100"}


@contextmanager
def opened(bootstrap: str, security: Mapping[str, str] | None = None) -> Iterator[Cluster]:
    """Closed at the end, in this thread: left to the garbage collector, a client can stop the whole process."""
    from kafka_topology.cluster.cluster import Cluster  # noqa: PLC0415
    from kafka_topology.cluster.connecting.settings import client_only  # noqa: PLC0415

    client = {"bootstrap.servers": bootstrap, **_QUICK, **(security or {})}
    cluster = Cluster(replace(client_only(client, _REQUEST_SECONDS), silence=None))
    try:
        yield cluster
    finally:
        cluster.close()
