"""How a client reaches a cluster, and how long it waits."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

# A command gives up when this many requests in a row got no answer.
_ASKED_AGAIN = 3.0


@dataclass(frozen=True, slots=True)
class ClientSettings:
    """`client` holds the settings of librdkafka. `repr` shows neither them nor the secrets."""

    servers: str
    client: Mapping[str, str] = field(repr=False)
    secrets: frozenset[str] = field(default=frozenset(), repr=False)
    request_timeout: float = 10.0
    operation_timeout: float = 60.0
    msk_region: str | None = None  # of the Amazon MSK cluster that signed tokens are for

    def redact(self, text: str) -> str:
        """The text with its secrets hidden, in case a library puts one into a message."""
        for secret in sorted(self.secrets, key=len, reverse=True):
            text = text.replace(secret, "[secret]")
        return text


def client_only(client: Mapping[str, str], request_timeout: float) -> ClientSettings:
    """The settings for a command that has only librdkafka's own configuration."""
    return ClientSettings(
        servers=client.get("bootstrap.servers", ""),
        client=client,
        secrets=frozenset(value for name, value in client.items() if is_secret(name) and value),
        request_timeout=request_timeout,
        operation_timeout=request_timeout * _ASKED_AGAIN,
    )


def is_secret(setting: str) -> bool:
    """Whether a setting of librdkafka may hold a secret."""
    return any(word in setting for word in ("password", "secret", "key.pem", "token"))
