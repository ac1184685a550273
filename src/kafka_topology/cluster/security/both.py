"""Access, users and quotas of a real cluster, through one second client."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .access import AclCalls, ScramCalls
from .quotas import QuotaCalls

if TYPE_CHECKING:
    from ..connecting.second_client import SecondClient


class Security:
    def __init__(self, client: SecondClient) -> None:
        self.access = AclCalls(client)
        self.users = ScramCalls(client)
        self.quotas = QuotaCalls(client)
