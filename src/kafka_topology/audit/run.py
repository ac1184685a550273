"""A whole audit: connect, read, compare, and apply the topology's severities and suppressions."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import closing
from dataclasses import dataclass, field

from kafka_topology.audit.compare import audit
from kafka_topology.audit.picture import picture
from kafka_topology.audit.rules import audit_rules
from kafka_topology.audit.subjects.health.certificates import findings_of_unreachable
from kafka_topology.audit.survey import survey
from kafka_topology.cluster.cluster import Cluster
from kafka_topology.cluster.connecting.settings import client_only
from kafka_topology.cluster.outcomes import ClusterUnreachableError
from kafka_topology.topology import Finding, Topology
from kafka_topology.validators import Outcome, judged, options_of


@dataclass(frozen=True, slots=True)
class Audited:
    """`could_not_check` says what could not be read; `live` has the numbers that were read.

    `may_pass`: a later look may read what this one could not. `waiting` are findings that did not last long enough.
    """

    outcome: Outcome
    could_not_check: tuple[str, ...] = ()
    live: Mapping[str, object] = field(default_factory=lambda: {"brokers": [], "groups": []})
    may_pass: bool = False
    waiting: tuple[Finding, ...] = ()


class Auditor:
    """Looks at one cluster, as often as it is asked."""

    def __init__(self, topology: Topology, client: Mapping[str, str], timeout: float) -> None:
        self._topology = topology
        self._settings = client_only(client, timeout)
        self._rules = audit_rules()
        self._was_reached = False

    def look(self) -> Audited:
        """Changes nothing. An unreachable cluster is in `could_not_check`; expired certificates are a finding."""
        options = options_of(self._topology, self._rules)
        try:
            with closing(Cluster(self._settings)) as cluster:
                cluster.connect()
                self._was_reached = True
                live = survey(cluster, self._topology)
        except ClusterUnreachableError as error:
            expired = tuple(findings_of_unreachable(self._topology, self._settings, options))
            # A cluster that never answered has a wrong address, more likely than one broker that restarts.
            may_pass = self._was_reached and not expired
            return Audited(judged(self._topology, expired, self._rules), (str(error),), may_pass=may_pass)
        found = audit(self._topology, live, options)
        return Audited(
            judged(self._topology, found.findings, self._rules),
            found.unread,
            picture(self._topology, live),
            may_pass=found.may_pass,
        )
