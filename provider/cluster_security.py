"""Access, users and quotas of a real cluster, through one second client."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .cluster_access import AclCalls, ScramCalls
from .cluster_quotas import QuotaCalls
from .second_client import SecondClient

if TYPE_CHECKING:
    from .settings import Settings


class Security:
    def __init__(self, settings: Settings) -> None:
        client = self._client = SecondClient(settings)
        self.access = AclCalls(client)
        self.users = ScramCalls(client)
        self.quotas = QuotaCalls(client)

    def close(self) -> None:
        self._client.close()
