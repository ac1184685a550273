"""Who may read and write which topic, as Kafka's authorizer decides."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import groupby

from kafka_topology.topology import Topology
from kafka_topology.topology.kafka.access import Grant, derived_acls
from kafka_topology.topology.kafka.authorizer import ANYONE, ANYTHING

RIGHTS = ("read", "write", "manage", "look")
_RIGHT = {"Read": "read", "Write": "write", "Describe": "look", "DescribeConfigs": "look"}


class Access:
    """All grants of a topology, looked up by topic."""

    def __init__(self, topology: Topology) -> None:
        self.grants = derived_acls(topology)
        self._literal: dict[str, list[Grant]] = {}
        self._prefixed: dict[str, list[Grant]] = {}
        for grant in self.grants:
            if grant.resource == "topic":
                held = self._prefixed if grant.pattern == "prefixed" else self._literal
                held.setdefault(grant.name, []).append(grant)

    @property
    def principals(self) -> list[str]:
        return sorted({grant.principal for grant in self.grants})

    def of_topic(self, topic: str) -> Mapping[str, str]:
        """What each principal may do with a topic, in words: `read, write`. Only principals with access."""
        allowed: dict[str, dict[str, set[str]]] = {}
        denied: dict[str, set[str]] = {}
        for grant in self._reaching(topic):
            rights = _rights(grant)
            if grant.permission == "allow":
                for right in rights:
                    allowed.setdefault(grant.principal, {}).setdefault(right, set()).add(grant.host)
            elif grant.host == "*":
                denied.setdefault(grant.principal, set()).update(rights)
        shown = {}
        for principal in sorted(allowed):
            lost = denied.get(principal, set()) | denied.get(ANYONE, set())
            words = _words({right: hosts for right, hosts in allowed[principal].items() if right not in lost})
            if words:
                shown[principal] = words
        return shown

    def _reaching(self, topic: str) -> Iterator[Grant]:
        yield from self._literal.get(topic, ())
        yield from self._literal.get(ANYTHING, ())
        for end in range(len(topic) + 1):
            yield from self._prefixed.get(topic[:end], ())


def _rights(grant: Grant) -> tuple[str, ...]:
    return RIGHTS if grant.operation == "All" else (_RIGHT.get(grant.operation, "manage"),)


def _words(rights: Mapping[str, set[str]]) -> str:
    """Other rights include to look, so it is listed only if it is the only one."""
    names = [right for right in RIGHTS if right in rights and (right != "look" or len(rights) == 1)]
    return ", ".join(f"{name}{'' if '*' in rights[name] else ' (some hosts)'}" for name in names)


def together(grants: tuple[Grant, ...]) -> Iterator[tuple[Grant, tuple[str, ...]]]:
    """The operations on one resource, with the grant that has the best reason. `grants` must be sorted."""

    def same(grant: Grant) -> tuple[str, ...]:
        return (grant.principal, grant.resource, grant.name, grant.pattern, grant.permission, grant.host)

    for _, held in groupby(grants, key=same):
        group = list(held)
        # Every other right includes to look, so prefer the reason of another one.
        telling = next((grant for grant in group if _rights(grant) != ("look",)), group[0])
        yield telling, tuple(grant.operation for grant in group)


def resource_words(grant: Grant) -> str:
    if grant.resource == "cluster":
        return "the cluster"
    what = grant.resource.replace("-", " ")
    return f"{what}s that start with {grant.name}" if grant.pattern == "prefixed" else f"{what} {grant.name}"
