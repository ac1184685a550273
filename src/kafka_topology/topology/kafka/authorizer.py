"""How Kafka's authorizer decides: patterns, hosts, wildcards, denials, and operations that imply others."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from ipaddress import IPv4Address, ip_address
from typing import ClassVar

from .acls import Acl

ANYONE = "User:*"
ANYTHING = "*"
ONLY_LOOKS = frozenset({"Describe", "DescribeConfigs"})
# What lets somebody look at a thing besides the operation itself.
IMPLIED_BY = {"Describe": ("Read", "Write", "Delete", "Alter"), "DescribeConfigs": ("AlterConfigs",)}


class Allowed:
    """Access that is allowed, looked up without comparing everything with everything."""

    _permission: ClassVar[str] = "allow"

    def __init__(self, grants: Iterable[Acl], *, implied: bool = True) -> None:
        self._implied = implied
        self._literal: dict[tuple[str, str, str, str], set[str]] = {}
        self._prefixed: dict[tuple[str, str], list[Acl]] = {}
        for grant in grants:
            if grant.permission != self._permission:
                continue
            if grant.pattern == "prefixed":
                self._prefixed.setdefault((grant.principal, grant.resource), []).append(grant)
            else:
                key = (grant.principal, grant.resource, grant.name, grant.host)
                self._literal.setdefault(key, set()).add(grant.operation)

    def covers(self, grant: Acl) -> bool:
        """Whether all that the grant is about is in this access."""
        wanted = {grant.operation, "All"}
        if self._implied:
            wanted.update(IMPLIED_BY.get(grant.operation, ()))
        return any(not wanted.isdisjoint(operations) for operations in self._operations(grant))

    def _operations(self, grant: Acl) -> Iterator[Iterable[str]]:
        names = (grant.name, ANYTHING) if grant.pattern == "literal" else (ANYTHING,)
        for principal in {grant.principal, ANYONE}:
            for host in {grant.host, "*"}:
                for name in names:
                    yield self._literal.get((principal, grant.resource, name, host), ())
            for other in self._prefixed.get((principal, grant.resource), ()):
                if grant.name.startswith(other.name) and other.host in (grant.host, "*"):
                    yield (other.operation,)


class Denied(Allowed):
    """Access that is denied, looked up in the same way. A forbidden operation implies no other."""

    _permission = "deny"

    def __init__(self, acls: Iterable[Acl]) -> None:
        super().__init__(acls, implied=False)


def denies(deny: Acl, grant: Acl) -> bool:
    """Whether the one forbids, on at least one host, something that the other allows to all of its principal."""
    return deny.principal in (grant.principal, ANYONE) and reduces(deny, grant)


def reduces(deny: Acl, allow: Acl) -> bool:
    """Whether the one keeps out somebody whom the other alone would let in. A forbidden operation implies no other."""
    return (
        deny.resource == allow.resource
        and _overlap(deny.operation, allow.operation, "All")
        and _overlap(deny.principal, allow.principal, ANYONE)
        and _overlap(deny.host, allow.host, ANYTHING)
        and _meet(deny, allow)
    )


def compared_host(host: str) -> str | None:
    """The text that Kafka compares with the client's address, as Java writes it; None if it is no IP address."""
    if host == ANYTHING:
        return host
    try:
        address = ip_address(host)
    except ValueError:
        return None
    if isinstance(address, IPv4Address):
        return str(address)
    if address.ipv4_mapped is not None:
        return str(address.ipv4_mapped)
    return ":".join(f"{int(group, 16):x}" for group in address.exploded.split(":"))


def reaches(pattern: str, name: str, resource: str) -> bool:
    """Whether a rule with this pattern and name is about the resource of that name."""
    if pattern == "prefixed":
        return resource.startswith(name)
    return name in (resource, ANYTHING)


def _overlap(one: str, other: str, everything: str) -> bool:
    return one == other or everything in (one, other)


def _meet(one: Acl, other: Acl) -> bool:
    """Whether there is a name that both are about."""
    if any(each.pattern == "literal" and each.name == ANYTHING for each in (one, other)):
        return True
    if one.pattern == other.pattern == "prefixed":
        return one.name.startswith(other.name) or other.name.startswith(one.name)
    return reaches(one.pattern, one.name, other.name) or reaches(other.pattern, other.name, one.name)
