"""The health of a real cluster: reads that only an audit needs. Each is one request to each broker at most."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from ..connecting.probe import address_of
from ..outcomes import Failure, Outcome
from .certificates import read_certificates, uses_tls
from .disks import read_disks
from .features import read_software
from .quorum import read_quorum
from .topic_configs import read_topic_configs

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from ..connecting.connection import Connection
    from ..connecting.second_client import SecondClient
    from ..live.certificates import Certificate
    from ..live.disks import Disk
    from ..live.features import Software
    from ..live.quorum import Quorum


@dataclass(frozen=True, slots=True)
class HealthCluster:
    connection: Connection
    second: SecondClient

    def quorum(self) -> Outcome[Quorum]:
        return read_quorum(self.second)

    def is_reached(self) -> bool:
        """Whether any broker answers the one request that needs neither a login nor a controller."""
        answer = self.second.call("asking a broker for its versions", lambda client: client.api_versions())
        return not isinstance(answer, Failure)

    def disks(self, brokers: Collection[int], *, with_sizes: bool) -> dict[int, Outcome[Disk]]:
        return read_disks(self.second, brokers, with_sizes=with_sizes)

    def software(self, brokers: Collection[int]) -> dict[int, Outcome[Software]]:
        return read_software(self.second, brokers)

    def topic_configs(
        self, brokers: Collection[int], topics: Collection[str], keys: Collection[str]
    ) -> dict[int, Outcome[Mapping[str, Mapping[str, str]]]]:
        """These settings of each topic itself, as each broker has them."""
        return read_topic_configs(self.second, brokers, topics, keys)

    @property
    def uses_tls(self) -> bool:
        return uses_tls(self.connection.settings)

    def addresses(self) -> Outcome[dict[str, int]]:
        """The broker at each address, as brokers tell clients that come in the same way."""
        with self.connection.asking() as ask:
            answer = ask.value("describing the cluster", ask.admin.describe_cluster(request_timeout=ask.timeout))
        return answer if isinstance(answer, Failure) else {address_of(n.host, n.port): n.id for n in answer.nodes}

    def certificates(self, addresses: Collection[str]) -> dict[str, Outcome[Certificate]]:
        return read_certificates(self.connection.settings, addresses, self.connection.silence)
