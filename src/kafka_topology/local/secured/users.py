"""The SCRAM users of a secured cluster, made through its plain listener once it runs.

Kafka's storage tool could make them too, but wants their passwords on its command line.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from kafka_topology.cluster.live.users import Credential
from kafka_topology.cluster.outcomes import Failure

from ..admin import opened
from ..properties import bootstrap_servers

if TYPE_CHECKING:
    from kafka_topology.cluster.cluster import Cluster
    from kafka_topology.cluster.outcomes import Outcome

    from ..readiness import Patience
    from ..state import State
    from .credentials import Credentials

_ITERATIONS = 4096  # the least that Kafka takes; passwords are random


def make_users(state: State, credentials: Credentials, patience: Patience) -> None:
    with opened(bootstrap_servers(state)) as cluster:
        # One request for each: Kafka refuses two changes of a user in one.
        for mechanism in ("SCRAM-SHA-256", "SCRAM-SHA-512"):
            wanted = [
                Credential(user, mechanism, _ITERATIONS, password) for user, password in credentials.passwords.items()
            ]
            patience.until("the users to be made", _make, cluster, wanted)


def _make(cluster: Cluster, wanted: list[Credential]) -> Outcome[bool]:
    outcomes = cluster.security.users.set_credentials(wanted).values()
    return next((outcome for outcome in outcomes if isinstance(outcome, Failure)), True)
