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
        self.client = SecondClient(settings)
        self.access = AclCalls(self.client)
        self.users = ScramCalls(self.client)
        self.quotas = QuotaCalls(self.client)

    def close(self) -> None:
        self.client.close()
