"""Whether an ACL stays inside the ownership: one answer for the validators and the provider.

An ownership limits what may be changed. Its principals could still be allowed everything on the cluster, so access
outside the ownership needs a declared grant.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Protocol

EVERYTHING = "*"
# Kafka before 2.8 requires it of every idempotent producer; it gives access to no resource.
_FREE_ON_CLUSTER = "IdempotentWrite"
_ANY_OPERATION = "All"
# For each resource type, the field of `grants` that covers it.
SECTIONS = {
    "topic": "topics",
    "group": "groups",
    "transactional-id": "transactionalIds",
    "user": "users",
    "delegation-token": "delegationTokens",
    "cluster": "cluster",
}


@dataclass(frozen=True, slots=True)
class Grants:
    """Access allowed outside the ownership: prefixes, or `*` for the wildcard; for the cluster, operations."""

    topics: tuple[str, ...] = ()
    groups: tuple[str, ...] = ()
    transactional_ids: tuple[str, ...] = ()
    users: tuple[str, ...] = ()
    delegation_tokens: tuple[str, ...] = ()
    cluster: tuple[str, ...] = ()


NO_GRANTS = Grants()


class Owning(Protocol):
    """An ownership, declared in a file or in the provider's config. None means no limit."""

    @property
    def topics(self) -> tuple[str, ...] | None: ...

    @property
    def groups(self) -> tuple[str, ...] | None: ...

    @property
    def principals(self) -> tuple[str, ...] | None: ...

    @property
    def grants(self) -> Grants: ...


@dataclass(frozen=True, slots=True)
class Allowance:
    """What one ACL allows: an operation on the resource of this name, or on all with this prefix."""

    resource: str
    name: str
    operation: str
    is_prefix: bool = False
    is_denial: bool = False

    @property
    def is_wildcard(self) -> bool:
        """Kafka reads a literal `*` as every resource of the type."""
        return self.name == EVERYTHING and not self.is_prefix


def is_declared(owned: Owning) -> bool:
    sections = (owned.topics, owned.groups, owned.principals)
    return owned.grants != NO_GRANTS or any(section is not None for section in sections)


def is_inside(owned: Owning, allowed: Allowance) -> bool:
    """Whether this may be allowed. A prefix is inside another one if it begins with it."""
    if allowed.is_denial or not is_declared(owned):
        return True
    if allowed.resource == "cluster":
        return allowed.operation == _FREE_ON_CLUSTER or not {allowed.operation, _ANY_OPERATION}.isdisjoint(
            owned.grants.cluster
        )
    granted = _granted(owned.grants, allowed.resource)
    if EVERYTHING in granted:
        return True
    if allowed.is_wildcard:
        return False
    limits = owned_prefixes(owned, allowed.resource)
    return limits is None or allowed.name.startswith((*limits, *granted))


def owned_prefixes(owned: Owning, resource: str) -> tuple[str, ...] | None:
    """The owned prefixes of this resource type; None if nothing limits it."""
    match resource:
        case "topic":
            return owned.topics
        case "group":
            return owned.groups
        case "user":
            # The name of this resource is a principal, such as User:shop.
            return owned.principals
        case "transactional-id":
            return _transactional_ids(owned)
        case _:
            return None


def _transactional_ids(owned: Owning) -> tuple[str, ...] | None:
    """They have no section: applications name them after themselves, their group or their topics.

    An ownership of topics alone does not limit them.
    """
    if owned.groups is None and owned.principals is None:
        return None
    return (*(owned.groups or ()), *(owned.topics or ()), *_names(owned.principals or ()))


def _names(principals: tuple[str, ...]) -> Iterator[str]:
    """`User:shop-` owns ids that begin with `shop-`. A prefix without a name, such as `User:`, owns all."""
    for principal in principals:
        yield principal.partition(":")[2] if ":" in principal else ""


def _granted(grants: Grants, resource: str) -> tuple[str, ...]:
    match resource:
        case "topic":
            return grants.topics
        case "group":
            return grants.groups
        case "transactional-id":
            return grants.transactional_ids
        case "user":
            return grants.users
        case "delegation-token":
            return grants.delegation_tokens
        case _:
            return ()


def needed_grant(allowed: Allowance) -> str:
    """The line to add under `ownership.grants` to allow this."""
    value = allowed.operation if allowed.resource == "cluster" else allowed.name
    return f'{SECTIONS[allowed.resource]}: ["{value}"]'
