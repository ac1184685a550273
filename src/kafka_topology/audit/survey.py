"""Takes the snapshot for an audit, with a few requests for any number of topics."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .observing.snapshot import Snapshot, Survey
from .registry import subjects

if TYPE_CHECKING:
    from ..cluster.cluster import Cluster
    from ..topology.model.declared import Topology


def survey(cluster: Cluster, topology: Topology) -> Snapshot:
    """Reads only the parts of the cluster that the topology declares something about."""
    asking = Survey(cluster, topology, cluster.patient(), {})
    reads = [each for subject in subjects() if not subject.is_off(topology) for each in subject.reads]
    for each in sorted(reads, key=lambda each: not each.is_first):
        asking.read(each)
    return Snapshot(asking.seen)
