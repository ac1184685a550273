"""The provider's configuration, resolved: what the client is given and what the promises need."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

PACKAGE = "kafka-topology"


@dataclass(frozen=True, slots=True)
class Owned:
    """Prefixes of what may be touched; None means no limit."""

    topics: tuple[str, ...] | None = None
    groups: tuple[str, ...] | None = None
    principals: tuple[str, ...] | None = None


@dataclass(frozen=True, slots=True)
class Settings:
    """`client` is what librdkafka is given. Neither it nor the secrets show in a representation."""

    servers: str
    client: Mapping[str, str] = field(repr=False)
    secrets: frozenset[str] = field(default=frozenset(), repr=False)
    request_timeout: float = 10.0
    operation_timeout: float = 60.0
    owned: Owned = Owned()
    max_deletes: int = 10
    replication_throttle: int = 50_000_000
    msk_region: str | None = None  # of the Amazon MSK cluster that signed tokens are for

    def redact(self, text: str) -> str:
        """The text without any secret, should a library ever put one into a message."""
        for secret in sorted(self.secrets, key=len, reverse=True):
            text = text.replace(secret, "[secret]")
        return text


def client_only(client: Mapping[str, str], request_timeout: float) -> Settings:
    """The settings of a command that only has librdkafka's own configuration."""
    return Settings(
        servers=client.get("bootstrap.servers", ""),
        client=client,
        secrets=frozenset(value for name, value in client.items() if is_secret(name) and value),
        request_timeout=request_timeout,
    )


def is_secret(setting: str) -> bool:
    """Whether a setting of librdkafka may hold a secret."""
    return any(word in setting for word in ("password", "secret", "key.pem", "token"))
