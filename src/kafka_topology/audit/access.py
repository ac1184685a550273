"""Access rules of the cluster against what roles need and files declare."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

from ...topology.access import derived_acls
from ...topology.findings import Severity
from ..acls import Acl
from ..outcomes import Failure
from .check import About, Check, found, listed
from .topics import about as topic_about

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from ...topology.findings import Finding
    from ...topology.model import Ownership, Topic, Topology
    from ...topology.places import Place
    from .snapshot import Snapshot

ANY_NAME: Final = "*"
# What lets somebody see or change records, or take a topic away.
_OPENING: Final = frozenset({"All", "Read", "Write", "Alter", "AlterConfigs", "Delete"})
ACCESS_MISSING: Final = Check(
    "KTA401", "access-missing", Severity.ERROR,
    "Access that is declared, or that a declared role needs, is not on the cluster.",
    "The client is refused; or, where it is a denial that is missing, let in.",
    "Run `pulumi refresh` and `pulumi up`.",
    ("R15", "R33"),
)  # fmt: skip
ACCESS_UNDECLARED: Final = Check(
    "KTA402", "access-undeclared", Severity.WARNING,
    "An access rule of the cluster is inside the ownership, and is not declared.",
    "It is about a principal, a topic, a group or a transactional id of this topology, and nobody reviewed it.",
    "Declare it under `acls`, or remove it: import the principal with Pulumi, or use `kafka-acls --remove`.",
    ("R15",),
)  # fmt: skip
PRIVATE_TOPIC_OPEN: Final = Check(
    "KTA403", "private-topic-open", Severity.WARNING,
    "A rule with a wildcard, or a short prefix, opens private topics to a principal that is not declared for them.",
    "A private topic is for its owner only. The rule itself lies outside the ownership, so nothing here takes it away.",
    "Narrow the rule, or declare the access where it is wanted. Superusers need no rule at all.",
    ("R15",),
)  # fmt: skip
CHECKS: Final = (ACCESS_MISSING, ACCESS_UNDECLARED, PRIVATE_TOPIC_OPEN)


def access_findings(topology: Topology, live: Snapshot) -> Iterator[Finding]:
    if live.acls is None or isinstance(live.acls, Failure):
        return
    declared = {
        Acl(g.principal, g.resource, g.name, g.operation, g.pattern, g.host, g.permission): g
        for g in derived_acls(topology)
    }
    missing = (acl for acl in declared if acl not in live.acls)
    for acl, operations in _together(missing, lambda acl: declared[acl].place.location):
        grant = declared[acl]
        yield found(
            ACCESS_MISSING,
            About("access", acl.principal, grant.place.location),
            grant.place.location,
            f"{acl.principal} lacks: {_words(acl, operations)} ({grant.reasons[0].text})",
            "run pulumi refresh and pulumi up",
            expected=_words(acl, operations),
        )
    private = _Private(topology, declared)
    for acl, operations in _together(sorted(live.acls - declared.keys()), lambda _: None):
        at = _owned_by(acl, topology.ownership)
        if at is not None:
            yield found(
                ACCESS_UNDECLARED,
                About("access", acl.principal, at.location),
                at.location,
                f"{acl.principal} has access inside the ownership that is not declared: {_words(acl, operations)}",
                "declare it under acls, or remove it",
                actual=_words(acl, operations),
            )
        elif (opening := _OPENING.intersection(operations)) and (topics := private.opened_by(acl)):
            yield found(
                PRIVATE_TOPIC_OPEN,
                topic_about(topics[0]),
                topics[0].location,
                f"{acl.principal} has: {_words(acl, sorted(opening))}, which opens private topics to it: "
                f"{listed([topic.name for topic in topics])}",
                "narrow the rule, or declare the access where it is wanted",
                actual=_words(acl, operations),
                topics=[topic.name for topic in topics],
            )


def _together(acls: Iterable[Acl], place: Callable[[Acl], object]) -> list[tuple[Acl, list[str]]]:
    """Rules that differ in the operation only are one, and its first stands for it."""
    first: dict[object, Acl] = {}
    operations: dict[Acl, list[str]] = {}
    for acl in acls:
        key = (acl.principal, acl.resource, acl.name, acl.pattern, acl.host, acl.permission, place(acl))
        operations.setdefault(first.setdefault(key, acl), []).append(acl.operation)
    return list(operations.items())


def _words(acl: Acl, operations: list[str]) -> str:
    return str(replace(acl, operation=", ".join(operations)))


def _owned_by(acl: Acl, ownership: Ownership) -> Place | None:
    """The part of the ownership in which a rule lies: it is about one of our principals, topics or groups."""
    if ownership.principals and acl.principal.startswith(ownership.principals):
        return ownership.place("principals")
    sections = {"topic": ("topics", ownership.topics), "group": ("groups", ownership.groups)}
    section, prefixes = sections.get(acl.resource, ("", None))
    return ownership.place(section) if prefixes and acl.name.startswith(prefixes) else None


class _Private:
    """The private topics, and who is declared to use each."""

    def __init__(self, topology: Topology, declared: Iterable[Acl]) -> None:
        self._topics = {t.name: t for t in topology.topics.values() if t.visibility == "private"}
        self._users: dict[tuple[str, str], set[str]] = {}
        for acl in declared:
            if acl.resource == "topic":
                self._users.setdefault((acl.pattern, acl.name), set()).add(acl.principal)
        self._prefixes = [name for pattern, name in self._users if pattern == "prefixed"]

    def opened_by(self, acl: Acl) -> list[Topic]:
        if acl.resource != "topic" or acl.permission != "allow":
            return []
        return [topic for topic in self._reached(acl) if acl.principal not in self._declared(topic.name)]

    def _reached(self, acl: Acl) -> Iterable[Topic]:
        if acl.pattern == "prefixed":
            return (topic for name, topic in self._topics.items() if name.startswith(acl.name))
        if acl.name == ANY_NAME:
            return self._topics.values()
        return (self._topics[acl.name],) if acl.name in self._topics else ()

    def _declared(self, topic: str) -> set[str]:
        found = self._users.get(("literal", topic), set()) | self._users.get(("literal", ANY_NAME), set())
        return found.union(*(self._users["prefixed", p] for p in self._prefixes if topic.startswith(p)))
