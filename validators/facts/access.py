"""Roles, their principals, and the access that a topology declares for them."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import replace

from kafka_topology.topology.kafka.access import Grant, derived_acls
from kafka_topology.topology.kafka.authorizer import ANYONE
from kafka_topology.topology.model.declared import Acl, ConsumerGroup, Producer, StreamsApplication, Topology
from kafka_topology.topology.model.places import Place

Role = Producer | ConsumerGroup | StreamsApplication

_FIELDS = {"transactional-id": "transactionalId", "delegation-token": "delegationToken"}


def grants_of(topology: Topology, principals: Collection[str]) -> tuple[Grant, ...]:
    """The access of some principals, and of everyone. Deriving it for all of a large topology would take seconds."""
    if ANYONE in principals:
        return derived_acls(topology)
    producers = {name: role for name, role in topology.producers.items() if role.principal in principals}
    return derived_acls(
        replace(
            topology,
            producers=producers,
            # A producer also gets access to the group with its name.
            consumer_groups={
                name: role
                for name, role in topology.consumer_groups.items()
                if role.principal in principals or name in producers
            },
            streams={name: role for name, role in topology.streams.items() if role.principal in principals},
            acls=tuple(acl for acl in topology.acls if acl.principal in principals or acl.principal == ANYONE),
        )
    )


def resource_place(acl: Acl) -> Place:
    return acl.place(_FIELDS.get(acl.resource, acl.resource))


def shown(resource: str, name: str, pattern: str = "literal") -> str:
    what = resource.replace("-", " ")
    if resource == "cluster":
        return "the cluster"
    return f"every {what} that starts with {name}" if pattern == "prefixed" else f"{what} {name}"


def reached(grant: Grant, *, gains: bool) -> dict[str, object]:
    """The principal that gains or loses access, and to what: the evidence of a finding."""
    return {
        "principal": grant.principal,
        "resource": grant.resource,
        "name": grant.name,
        "pattern": grant.pattern,
        "gains": gains,
    }


def kind_reached(topology: Topology, resource: str, name: str) -> str | None:
    """The kind of the declared resource that a grant is about: a topic and a group may have the same name."""
    if resource == "topic" and name in topology.topics:
        return "topic"
    if resource == "group" and name in topology.consumer_groups:
        return "group"
    return "streams" if resource == "group" and name in topology.streams else None


def roles(topology: Topology) -> Iterator[tuple[str, Role]]:
    """All producers, groups and streams applications, with their names."""
    yield from topology.producers.items()
    yield from topology.consumer_groups.items()
    yield from topology.streams.items()


def owners_of_principals(topology: Topology) -> dict[str, frozenset[str]]:
    """The declared owners of the roles of each principal."""
    owners: dict[str, frozenset[str]] = {}
    for _, role in roles(topology):
        if role.principal is not None and role.owner is not None:
            owners[role.principal] = owners.get(role.principal, frozenset()) | {role.owner}
    return owners
