"""Roles, their principals, and the access that a topology declares for them."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import replace

from kafka_topology.topology.kafka.access import Grant, derived_acls
from kafka_topology.topology.kafka.authorizer import ANYONE, ANYTHING, compared_host
from kafka_topology.topology.kafka.names import illegal_characters
from kafka_topology.topology.model.declared import (
    Acl,
    ConsumerGroup,
    Producer,
    ShareGroup,
    StreamsApplication,
    Topology,
)
from kafka_topology.topology.model.kinds import clients_of
from kafka_topology.topology.model.places import Place

from .client_roles import Reader, Writer
from .clients import Sharer

Role = Producer | ConsumerGroup | ShareGroup | StreamsApplication

_FIELDS = {"transactional-id": "transactionalId", "delegation-token": "delegationToken"}


def grants_of(topology: Topology, principals: Collection[str]) -> tuple[Grant, ...]:
    """The access of some principals, and of everyone. Deriving it for all of a large topology would take seconds."""
    if ANYONE in principals:
        return derived_acls(topology)
    wanted = frozenset(principals)

    def is_asked_for(role: Role) -> bool:
        return not wanted.isdisjoint(role.principals)

    producers = {name: role for name, role in topology.producers.items() if is_asked_for(role)}
    grants = derived_acls(
        replace(
            topology,
            producers=producers,
            # A producer also gets access to the group with its name.
            consumer_groups={
                name: role for name, role in topology.consumer_groups.items() if is_asked_for(role) or name in producers
            },
            share_groups={name: role for name, role in topology.share_groups.items() if is_asked_for(role)},
            streams={name: role for name, role in topology.streams.items() if is_asked_for(role)},
            acls=tuple(acl for acl in topology.acls if acl.principal in wanted or acl.principal == ANYONE),
        )
    )
    # A role may have principals that nobody asked for.
    return tuple(grant for grant in grants if grant.principal in wanted or grant.principal == ANYONE)


def resource_place(acl: Acl) -> Place:
    return acl.place(_FIELDS.get(acl.resource, acl.resource))


def shown(resource: str, name: str, pattern: str = "literal") -> str:
    what = resource.replace("-", " ")
    if resource == "cluster":
        return "the cluster"
    return f"every {what} that starts with {name}" if pattern == "prefixed" else f"{what} {name}"


def granted(acl: Acl) -> str:
    """What an ACL gives on what: messages say it, because a baseline must not hide more operations or a wider name."""
    return f"{', '.join(acl.operations)} on {shown(acl.resource, acl.name, acl.pattern)}"


def use_of(client: Writer | Reader | Sharer) -> str:
    """What a client does with its topics."""
    return "may write it" if isinstance(client, Writer) else "may read it"


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
    if resource == "group" and name in topology.share_groups:
        return "shareGroup"
    return "streams" if resource == "group" and name in topology.streams else None


def roles(topology: Topology) -> Iterator[tuple[str, Role]]:
    """All producers, groups and streams applications, with their names."""
    yield from clients_of(topology)


def is_misspelt(principal: str) -> bool:
    """Whether the type is `User` in another case, which nobody has."""
    kind = principal.partition(":")[0]
    return kind != "User" and kind.casefold() == "user"


def names_no_topic(acl: Acl) -> bool:
    """Whether no topic can have the name, such as `orders*`."""
    return acl.resource == "topic" and acl.name != ANYTHING and bool(illegal_characters(acl.name))


def matches_nobody(acl: Acl) -> bool:
    """Whether Kafka compares the entry with texts that no client and no resource has. KT621 says which."""
    starred = acl.name == ANYTHING and acl.pattern == "prefixed"
    return starred or names_no_topic(acl) or is_misspelt(acl.principal) or compared_host(acl.host) != acl.host


def private_topics(topology: Topology) -> dict[str, tuple[str, ...]]:
    """Each private topic with the owners that may use it: its own, then those that it is shared with."""
    return {
        topic.name: (topic.owner, *topic.shared_with)
        for topic in topology.topics.values()
        if topic.visibility == "private" and topic.owner is not None
    }


def owners_of_principals(topology: Topology) -> dict[str, frozenset[str]]:
    """The declared owners of the roles of each principal."""
    owners: dict[str, frozenset[str]] = {}
    for _, role in roles(topology):
        if role.owner is not None:
            for principal in role.principals:
                owners[principal] = owners.get(principal, frozenset()) | {role.owner}
    return owners
