"""Takes the snapshot for an audit, with a few requests for any number of topics."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..cluster.attempts import patience
from .registry import subjects
from .snapshot import Snapshot, Survey

if TYPE_CHECKING:
    from ..cluster.cluster import Cluster
    from ..topology.model.declared import Topology


def survey(cluster: Cluster, topology: Topology) -> Snapshot:
    """Reads only the parts of the cluster that the topology declares something about."""
    asking = Survey(cluster, topology, patience(cluster.patience), {})
    for subject in subjects():
        for each in subject.reads:
            asking.read(each)
    return Snapshot(asking.seen)
