"""How a client reaches a cluster, and how long it waits."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from kafka_topology.topology.kafka.secrets import hide, names_secret


@dataclass(frozen=True, slots=True)
class ClientSettings:
    """`client` holds the settings of librdkafka. `repr` shows neither them nor the secrets."""

    servers: str
    client: Mapping[str, str] = field(repr=False)
    secrets: frozenset[str] = field(default=frozenset(), repr=False)
    request_timeout: float = 10.0
    operation_timeout: float = 60.0
    msk_region: str | None = None  # of the Amazon MSK cluster that signed tokens are for
    silence: float | None = None  # how long a command waits for brokers that do not answer, all its requests together

    def redact(self, text: str) -> str:
        """The text with its secrets hidden, in case a library puts one into a message."""
        return hide(text, self.secrets)


class ClientConfig(dict[str, str]):
    """librdkafka's own configuration, with what it has no setting for."""

    def __init__(self, settings: Mapping[str, str], msk_region: str | None = None) -> None:
        super().__init__(settings)
        self.msk_region = msk_region


def client_only(client: Mapping[str, str], request_timeout: float) -> ClientSettings:
    """The settings for a command that has a client's configuration, and none of a provider."""
    return ClientSettings(
        servers=client.get("bootstrap.servers", ""),
        client=client,
        secrets=frozenset(value for name, value in client.items() if names_secret(name) and value),
        request_timeout=request_timeout,
        operation_timeout=request_timeout,
        msk_region=client.msk_region if isinstance(client, ClientConfig) else None,
        silence=request_timeout,
    )
