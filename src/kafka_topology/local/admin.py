"""An admin client that says nothing. With readiness.py and users.py, all here that speaks Kafka's protocol."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from confluent_kafka.admin import AdminClient

REQUEST_SECONDS = 3.0


def quiet_admin(bootstrap: str, security: Mapping[str, str] | None = None) -> AdminClient:
    from confluent_kafka.admin import AdminClient  # noqa: PLC0415 - only a start needs it

    silent = logging.getLogger("kafka_topology.local.librdkafka")
    silent.addHandler(logging.NullHandler())
    silent.propagate = False
    settings: dict[str, str | int | float | bool] = {
        "bootstrap.servers": bootstrap,
        "socket.timeout.ms": 3000,
        "reconnect.backoff.ms": 20,
        "reconnect.backoff.max.ms": 100,
        "log_level": 0,
        **(security or {}),
    }
    return AdminClient(settings, logger=silent)
