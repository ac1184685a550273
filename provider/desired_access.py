"""The access, users and quotas that a topology asks for, in the words of the provider's schema."""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING

from ..topology.access import derived_acls
from .acls import Acl, as_rules
from .quotas import Entity

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from ..topology.model import ConsumerGroup, Producer, Quota, StreamsApplication, Topology, User

# What is registered: its name, its inputs, and the principal that it is about, if it is about one.
Wanted = tuple[str, dict[str, object], str | None]


def owners(topology: Topology) -> Mapping[str, str]:
    """The team of each principal, where all that use it have one and the same."""
    clients: tuple[Producer | ConsumerGroup | StreamsApplication, ...] = (
        *topology.producers.values(),
        *topology.consumer_groups.values(),
        *topology.streams.values(),
    )
    teams: dict[str, set[str | None]] = {}
    for client in clients:
        if client.principal is not None:
            teams.setdefault(client.principal, set()).add(client.owner)
    return {principal: team for principal, (team, *others) in teams.items() if team is not None and not others}


def access(topology: Topology) -> Iterator[Wanted]:
    for principal, grants in groupby(derived_acls(topology), key=lambda grant: grant.principal):
        rules = as_rules(
            Acl(principal, g.resource, g.name, g.operation, g.pattern, g.host, g.permission) for g in grants
        )
        yield principal, {"principal": principal, "rules": rules}, principal


def user(declared: User) -> Wanted:
    """The password is not here: `password_secret` names it in the stack's config."""
    inputs: dict[str, object] = {"name": declared.name, "mechanism": declared.mechanism}
    if declared.iterations is not None:
        inputs["iterations"] = declared.iterations
    return declared.name, inputs, f"User:{declared.name}"


def quota(declared: Quota) -> Wanted:
    inputs = {
        "user": declared.user,
        "clientId": declared.client_id,
        "producerByteRate": declared.producer_byte_rate,
        "consumerByteRate": declared.consumer_byte_rate,
        "requestPercentage": declared.request_percentage,
        "controllerMutationRate": declared.controller_mutation_rate,
    }
    principal = None if declared.user is None else f"User:{declared.user}"
    name = Entity(declared.user, declared.client_id).id
    return name, {key: value for key, value in inputs.items() if value is not None}, principal
