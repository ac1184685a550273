"""Compares the ACLs of the cluster with those that roles need and files declare."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

from kafka_topology.topology.model.words import listed

from ...cluster.live.access import Acl
from ...cluster.outcomes import Failure
from ...provider.resources.access.inputs import NO_AUTHORIZER
from ...topology.kafka.access import derived_acls
from ...topology.kafka.authorizer import ANYTHING, reaches
from ...topology.model.findings import Severity
from ..check import About, Check, found
from ..snapshot import Asked, Observation
from ..subject import Subject, without_options
from .topics import about as topic_about

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from ...topology.model.declared import Ownership, Topic, Topology
    from ...topology.model.findings import Finding
    from ...topology.model.places import Place
    from ..snapshot import Snapshot, Survey

# Operations that let a principal read or change records, or delete a topic.
_OPENING: Final = frozenset({"All", "Read", "Write", "Alter", "AlterConfigs", "Delete"})
ACCESS_MISSING: Final = Check(
    "KTA401", "access-missing", Severity.ERROR,
    "Access that is declared, or that a declared role needs, is missing on the cluster.",
    "Kafka refuses the client. If a deny ACL is missing, Kafka lets in a client that you meant to keep out.",
    "Run `pulumi refresh` and `pulumi up`.",
    ("R15", "R33"),
)  # fmt: skip
ACCESS_UNDECLARED: Final = Check(
    "KTA402", "access-undeclared", Severity.WARNING,
    "An ACL on the cluster is inside the ownership, but not declared.",
    "It is about a principal, topic or group of this topology, and nobody reviewed it.",
    "Declare it under `acls`, or remove it: import the principal with Pulumi, or run `kafka-acls --remove`.",
    ("R15",),
)  # fmt: skip
PRIVATE_TOPIC_OPEN: Final = Check(
    "KTA403", "private-topic-open", Severity.WARNING,
    "An ACL with a wildcard or a short prefix opens private topics to a principal that is not declared for them.",
    "A private topic is for its owner only. The ACL is outside the ownership, so `pulumi up` does not remove it.",
    "Narrow the ACL, or declare the access if you want it. Superusers need no ACL at all.",
    ("R15",),
)  # fmt: skip


def _take(survey: Survey) -> Asked[frozenset[Acl]]:
    owned = survey.topology.ownership
    owns_access = (owned.principals, owned.topics, owned.groups) != (None, None, None)
    if not owns_access and not derived_acls(survey.topology):
        return None
    return survey.patient.one(survey.cluster.security.access.describe_acls)


def _unread(topology: Topology, acls: Asked[frozenset[Acl]]) -> Iterator[str]:
    """Without an authorizer there is nothing to read, which matters only if the topology declares access."""
    if isinstance(acls, Failure) and (derived_acls(topology) or NO_AUTHORIZER not in acls.message):
        yield acls.message


ACLS: Final = Observation("acls", _take, _unread)


def access_findings(topology: Topology, live: Snapshot) -> Iterator[Finding]:
    acls = live.of(ACLS)
    if acls is None or isinstance(acls, Failure):
        return
    declared = {
        Acl(g.principal, g.resource, g.name, g.operation, g.pattern, g.host, g.permission): g
        for g in derived_acls(topology)
    }
    missing = (acl for acl in declared if acl not in acls)
    for acl, operations in _together(missing, lambda acl: declared[acl].place.location):
        grant = declared[acl]
        yield found(
            ACCESS_MISSING,
            About("access", acl.principal, grant.place.location),
            grant.place.location,
            f"{acl.principal} is missing access: {_words(acl, operations)} ({grant.reasons[0].text})",
            "run pulumi refresh and pulumi up",
            expected=_words(acl, operations),
        )
    private = _Private(topology, declared)
    for acl, operations in _together(sorted(acls - declared.keys()), lambda _: None):
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
                "narrow the ACL, or declare the access if you want it",
                actual=_words(acl, operations),
                topics=[topic.name for topic in topics],
            )


def _together(acls: Iterable[Acl], place: Callable[[Acl], object]) -> list[tuple[Acl, list[str]]]:
    """ACLs that differ only in the operation are reported together, by the first of them."""
    first: dict[object, Acl] = {}
    operations: dict[Acl, list[str]] = {}
    for acl in acls:
        key = (acl.principal, acl.resource, acl.name, acl.pattern, acl.host, acl.permission, place(acl))
        operations.setdefault(first.setdefault(key, acl), []).append(acl.operation)
    return list(operations.items())


def _words(acl: Acl, operations: list[str]) -> str:
    return str(replace(acl, operation=", ".join(operations)))


def _owned_by(acl: Acl, ownership: Ownership) -> Place | None:
    """The section of the ownership that covers an ACL: our principals, topics or groups."""
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
        if acl.pattern == "literal" and acl.name != ANYTHING:
            return (self._topics[acl.name],) if acl.name in self._topics else ()
        return (topic for name, topic in self._topics.items() if reaches(acl.pattern, acl.name, name))

    def _declared(self, topic: str) -> set[str]:
        found = self._users.get(("literal", topic), set()) | self._users.get(("literal", ANYTHING), set())
        return found.union(*(self._users["prefixed", p] for p in self._prefixes if topic.startswith(p)))


SUBJECT: Final = Subject(
    order=40,
    kinds=("Access",),
    words=("access", "topic"),
    compares={
        "access": "missing ACLs; ACLs inside the ownership that nobody declared; ACLs from outside that open private "
        "topics"
    },
    reads=(ACLS,),
    checks=(ACCESS_MISSING, ACCESS_UNDECLARED, PRIVATE_TOPIC_OPEN),
    compare=without_options(access_findings),
)
