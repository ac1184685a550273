"""Takes the snapshot for an audit, with a few requests for any number of topics."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..cluster.attempts import patience
from ..cluster.outcomes import Failure
from ..provider.resources.group.apply import GroupApplier
from ..provider.resources.group.descriptor import desired as desired_groups
from ..provider.resources.group.inputs import DeclaredGroup
from ..provider.resources.group.inputs import parse as parse_group
from ..topology.kafka.access import derived_acls
from .snapshot import Snapshot

if TYPE_CHECKING:
    from ..cluster.cluster import Cluster
    from ..topology.model.declared import Topology


def survey(cluster: Cluster, topology: Topology) -> Snapshot:
    """Reads only the parts of the cluster that the topology declares something about."""
    ownership = topology.ownership
    asked = declared_groups(topology)
    patient = patience(cluster.patience)
    brokers = patient.one(cluster.replicas.brokers)
    ids = () if isinstance(brokers, Failure) or not topology.cluster.defaults else tuple(brokers)
    applier = GroupApplier(cluster.groups, lambda _: False)
    groups = patient.each(asked, lambda names: applier.look({name: asked[name] for name in names})) if asked else {}
    owns_access = (ownership.principals, ownership.topics, ownership.groups) != (None, None, None)
    owns_users = ownership.principals is not None
    return Snapshot(
        brokers=brokers,
        topics=patient.each(topology.topics, cluster.describe_many_topics),
        topic_names=patient.one(cluster.survey.topic_names) if ownership.topics is not None else None,
        groups=groups,
        group_names=patient.one(cluster.survey.group_names) if ownership.groups is not None else None,
        acls=patient.one(cluster.security.access.describe_acls) if owns_access or derived_acls(topology) else None,
        users=patient.one(cluster.security.users.describe_all_users) if owns_users or topology.users else None,
        quotas=patient.one(cluster.security.quotas.describe_quotas) if owns_users or topology.quotas else None,
        broker_configs=patient.each(ids, cluster.survey.broker_configs),
        controllers=patient.one(cluster.survey.controllers) if topology.cluster.controllers is not None else None,
    )


def declared_groups(topology: Topology) -> dict[str, DeclaredGroup]:
    """Consumer groups and streams applications: to Kafka, both are groups."""
    groups: dict[str, DeclaredGroup] = {}
    for resource in desired_groups(topology):
        inputs: dict[str, Any] = dict(resource.inputs)
        groups[resource.name] = parse_group(inputs)
    for application in topology.streams.values():
        groups[application.application_id] = DeclaredGroup(application.application_id, dict.fromkeys(application.reads))
    return groups
