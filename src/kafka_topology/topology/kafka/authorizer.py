"""Who may do what, by Kafka's own rules: patterns, hosts, wildcards, and operations that imply others."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from dataclasses import replace

from ..topology.access import Grant, derived_acls
from ..topology.model import Acl, ConsumerGroup, Producer, StreamsApplication, Topology
from ..topology.places import Place

Role = Producer | ConsumerGroup | StreamsApplication

ANYONE = "User:*"
ANYTHING = "*"
ONLY_LOOKS = frozenset({"Describe", "DescribeConfigs"})
# What an allowed operation allows as well (the authorizers of Kafka).
_IMPLIED_BY = {"Describe": ("Read", "Write", "Delete", "Alter"), "DescribeConfigs": ("AlterConfigs",)}
_FIELDS = {"transactional-id": "transactionalId", "delegation-token": "delegationToken"}


class Allowed:
    """Access that is allowed, looked up without comparing everything with everything."""

    def __init__(self, grants: Iterable[Grant], *, implied: bool = True) -> None:
        self._implied = implied
        self._literal: dict[tuple[str, str, str, str], set[str]] = {}
        self._prefixed: dict[tuple[str, str], list[Grant]] = {}
        for grant in grants:
            if grant.permission != "allow":
                continue
            if grant.pattern == "prefixed":
                self._prefixed.setdefault((grant.principal, grant.resource), []).append(grant)
            else:
                key = (grant.principal, grant.resource, grant.name, grant.host)
                self._literal.setdefault(key, set()).add(grant.operation)

    def covers(self, grant: Grant) -> bool:
        """Whether all that the grant allows is allowed by this access."""
        wanted = {grant.operation, "All"}
        if self._implied:
            wanted.update(_IMPLIED_BY.get(grant.operation, ()))
        return any(not wanted.isdisjoint(operations) for operations in self._operations(grant))

    def _operations(self, grant: Grant) -> Iterator[Iterable[str]]:
        names = (grant.name, ANYTHING) if grant.pattern == "literal" else (ANYTHING,)
        for principal in {grant.principal, ANYONE}:
            for host in {grant.host, "*"}:
                for name in names:
                    yield self._literal.get((principal, grant.resource, name, host), ())
            for other in self._prefixed.get((principal, grant.resource), ()):
                if grant.name.startswith(other.name) and other.host in (grant.host, "*"):
                    yield (other.operation,)


def denies(deny: Grant, grant: Grant) -> bool:
    """Whether the one forbids what the other allows. A forbidden operation implies no other."""
    return (
        deny.resource == grant.resource
        and deny.operation in (grant.operation, "All")
        and deny.principal in (grant.principal, ANYONE)
        and deny.host in (grant.host, "*")
        and _reaches(deny, grant)
    )


def _reaches(deny: Grant, grant: Grant) -> bool:
    if deny.pattern == "prefixed":
        return grant.name.startswith(deny.name)
    if grant.pattern == "prefixed":
        return deny.name == ANYTHING or deny.name.startswith(grant.name)
    return deny.name in (grant.name, ANYTHING)


def grants_of(topology: Topology, principals: Collection[str]) -> tuple[Grant, ...]:
    """The access of some principals, and of everyone. To derive that of all would take a large topology seconds."""
    if ANYONE in principals:
        return derived_acls(topology)
    producers = {name: role for name, role in topology.producers.items() if role.principal in principals}
    return derived_acls(
        replace(
            topology,
            producers=producers,
            # A producer also gets access to the group that has its name.
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


def roles(topology: Topology) -> Iterator[tuple[str, Role]]:
    """Every producer, group and streams application with its name."""
    yield from topology.producers.items()
    yield from topology.consumer_groups.items()
    yield from topology.streams.items()


def owners_of_principals(topology: Topology) -> dict[str, frozenset[str]]:
    """The owners of the roles that connect as a principal, where they say so."""
    owners: dict[str, frozenset[str]] = {}
    for _, role in roles(topology):
        if role.principal is not None and role.owner is not None:
            owners[role.principal] = owners.get(role.principal, frozenset()) | {role.owner}
    return owners
