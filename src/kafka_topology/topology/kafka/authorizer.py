"""How Kafka's authorizer decides: patterns, hosts, wildcards, denials, and operations that imply others."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from .access import Grant

ANYONE = "User:*"
ANYTHING = "*"
ONLY_LOOKS = frozenset({"Describe", "DescribeConfigs"})
# What lets somebody look at a thing besides the operation itself.
IMPLIED_BY = {"Describe": ("Read", "Write", "Delete", "Alter"), "DescribeConfigs": ("AlterConfigs",)}


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
            wanted.update(IMPLIED_BY.get(grant.operation, ()))
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
        and _meets(deny, grant)
    )


def reaches(pattern: str, name: str, resource: str) -> bool:
    """Whether a rule with this pattern and name is about the resource of that name."""
    if pattern == "prefixed":
        return resource.startswith(name)
    return name in (resource, ANYTHING)


def _meets(deny: Grant, grant: Grant) -> bool:
    """Whether there is a name that both are about."""
    if grant.pattern == "prefixed" and deny.pattern == "literal":
        return deny.name == ANYTHING or deny.name.startswith(grant.name)
    return reaches(deny.pattern, deny.name, grant.name)
