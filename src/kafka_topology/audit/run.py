"""An audit from one end to the other: connect, look, compare, and judge as the topology's own settings say."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from kafka_topology.audit_rules import audit_rules
from kafka_topology.provider.audit.compare import audit
from kafka_topology.provider.audit.picture import picture
from kafka_topology.provider.audit.survey import survey
from kafka_topology.provider.cluster import Cluster
from kafka_topology.provider.outcomes import ClusterUnreachableError
from kafka_topology.provider.settings import client_only
from kafka_topology.topology import Topology
from kafka_topology.validators import Outcome, judged, options_of


@dataclass(frozen=True, slots=True)
class Audited:
    """`could_not_check` says what could not be looked at; `live` what was seen, in numbers."""

    outcome: Outcome
    could_not_check: tuple[str, ...] = ()
    live: Mapping[str, object] = field(default_factory=lambda: {"brokers": [], "groups": []})


def audit_cluster(topology: Topology, client: Mapping[str, str], timeout: float) -> Audited:
    """Only reads. A cluster that cannot be reached is nothing that was found, and is said so."""
    rules = audit_rules()
    try:
        cluster = Cluster(client_only(client, timeout))
        cluster.connect()
    except ClusterUnreachableError as error:
        return Audited(judged(topology, (), rules), (str(error),))
    live = survey(cluster, topology)
    found = audit(topology, live, options_of(topology, rules))
    return Audited(judged(topology, found.findings, rules), found.unread, picture(topology, live))
