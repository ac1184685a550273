"""Takes the snapshot that an audit needs, with a handful of requests whatever the number of topics."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ...topology.access import derived_acls
from ..desired import desired_groups
from ..group_apply import GroupApplier
from ..groups import DeclaredGroup
from ..groups import parse as parse_group
from ..outcomes import Failure
from .snapshot import Snapshot

if TYPE_CHECKING:
    from ...topology.model import Topology
    from ..cluster import Cluster


def survey(cluster: Cluster, topology: Topology) -> Snapshot:
    """Asks only for what the topology declares something about."""
    ownership = topology.ownership
    asked = declared_groups(topology)
    brokers = cluster.replicas.brokers()
    ids = () if isinstance(brokers, Failure) or not topology.cluster.defaults else tuple(brokers)
    groups = GroupApplier(cluster.groups, lambda _: False).look(asked) if asked else {}
    owns_access = (ownership.principals, ownership.topics, ownership.groups) != (None, None, None)
    owns_users = ownership.principals is not None
    return Snapshot(
        brokers=brokers,
        topics=cluster.describe_many_topics(topology.topics),
        topic_names=cluster.survey.topic_names() if ownership.topics is not None else None,
        groups=groups,
        group_names=cluster.survey.group_names() if ownership.groups is not None else None,
        acls=cluster.security.access.describe_acls() if owns_access or derived_acls(topology) else None,
        users=cluster.security.users.describe_all_users() if owns_users or topology.users else None,
        quotas=cluster.security.quotas.describe_quotas() if owns_users or topology.quotas else None,
        broker_configs=cluster.survey.broker_configs(ids),
        controllers=cluster.survey.controllers() if topology.cluster.controllers is not None else None,
    )


def declared_groups(topology: Topology) -> dict[str, DeclaredGroup]:
    """Consumer groups, and streams applications, which are groups to Kafka."""
    groups: dict[str, DeclaredGroup] = {}
    for resource in desired_groups(topology):
        inputs: dict[str, Any] = dict(resource.inputs)
        groups[resource.name] = parse_group(inputs)
    for application in topology.streams.values():
        groups[application.application_id] = DeclaredGroup(application.application_id, dict.fromkeys(application.reads))
    return groups
