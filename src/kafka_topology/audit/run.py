"""A whole audit: connect, read, compare, and apply the topology's severities and suppressions."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from kafka_topology.audit.compare import audit
from kafka_topology.audit.picture import picture
from kafka_topology.audit.rules import audit_rules
from kafka_topology.audit.survey import survey
from kafka_topology.cluster.cluster import Cluster
from kafka_topology.cluster.connecting.settings import client_only
from kafka_topology.cluster.outcomes import ClusterUnreachableError
from kafka_topology.topology import Topology
from kafka_topology.validators import Outcome, judged, options_of


@dataclass(frozen=True, slots=True)
class Audited:
    """`could_not_check` says what could not be read; `live` has the numbers that were read."""

    outcome: Outcome
    could_not_check: tuple[str, ...] = ()
    live: Mapping[str, object] = field(default_factory=lambda: {"brokers": [], "groups": []})


def audit_cluster(topology: Topology, client: Mapping[str, str], timeout: float) -> Audited:
    """Changes nothing. An unreachable cluster is not a finding; it is reported in `could_not_check`."""
    rules = audit_rules()
    try:
        cluster = Cluster(client_only(client, timeout))
        cluster.connect()
    except ClusterUnreachableError as error:
        return Audited(judged(topology, (), rules), (str(error),))
    live = survey(cluster, topology)
    found = audit(topology, live, options_of(topology, rules))
    return Audited(judged(topology, found.findings, rules), found.unread, picture(topology, live))
