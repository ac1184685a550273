"""Compares the ACLs of the cluster with those that roles need and files declare."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

from kafka_topology.topology.model.words import listed

from ...cluster.live.access import Acl
from ...cluster.outcomes import Failure
from ...provider.resources.access.inputs import NO_AUTHORIZER
from ...topology.kafka.access import derived_acls
from ...topology.kafka.authorizer import ANYTHING, Allowed, Denied, denies, reaches, reduces
from ...topology.model.findings import Severity
from ..check import About, Check, found
from ..observing.snapshot import Asked, Observation
from ..subject import Subject, without_options
from .topics import about as topic_about

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Mapping

    from ...topology.kafka.access import Grant
    from ...topology.model.declared import Ownership, Topic, Topology
    from ...topology.model.findings import Finding
    from ...topology.model.places import Place
    from ..observing.snapshot import Snapshot, Survey

# Operations that let a principal read or change records, or delete a topic.
_OPENING: Final = frozenset({"Read", "Write", "Alter", "AlterConfigs", "Delete"})
ACCESS_MISSING: Final = Check(
    "KTA401", "access-missing", Severity.ERROR,
    "Access that is declared, or that a declared role needs, is missing on the cluster. If a broader ACL covers it, "
    "this is a warning.",
    "Kafka refuses the client. If a deny ACL is missing, Kafka lets in a client that you meant to keep out. Access "
    "that only a broader ACL gives ends with that ACL.",
    "Run `pulumi refresh` and `pulumi up`.",
    ("R15", "R33"),
)  # fmt: skip
ACCESS_REFUSED: Final = Check(
    "KTA404", "access-refused", Severity.ERROR,
    "An undeclared deny ACL on the cluster refuses what declared clients need. If it is for one host, this is a "
    "warning.",
    "A deny wins over every allow, whatever its pattern: the clients fail with an authorization error, although all "
    "their declared access is there. A deny for one host refuses only the instances that connect from it; where those "
    "run, the audit cannot know.",
    "Remove the ACL with `kafka-acls --remove`, or narrow it. If it is meant, declare it, and remove the clients.",
    ("R15",),
)  # fmt: skip
ACCESS_UNDECLARED: Final = Check(
    "KTA402", "access-undeclared", Severity.WARNING,
    "An ACL on the cluster is inside the ownership, or on a transactional id of a declared client, but not declared.",
    "It is about a principal, topic, group or transactional id of this topology, and nobody reviewed it. A deny "
    "ACL may protect them from an ACL with a wildcard: the message names what it takes away from.",
    "Declare it under `acls`, or remove it: import the principal with Pulumi, or run `kafka-acls --remove`. Remove a "
    "deny ACL only if those whom it keeps out may come in.",
    ("R15",),
)  # fmt: skip
PRIVATE_TOPIC_OPEN: Final = Check(
    "KTA403", "private-topic-open", Severity.WARNING,
    "An ACL with a wildcard or a short prefix opens private topics to a principal that is not declared for them, and "
    "no deny ACL keeps it out.",
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
    yield from _missing(declared, acls)
    private = _Private(topology, declared, acls)
    refused = _Refused(declared.values())
    for acl, operations in together(sorted(acls - declared.keys()), lambda _: None):
        clients = refused.by(acl, operations)
        if clients:
            yield _refusing(acl, operations, clients)
        elif (at := owned_by(acl, topology.ownership) or own_transactional_id(acl, declared)) is not None:
            where = (
                "inside the ownership"
                if owned_by(acl, topology.ownership)
                else "to transactional ids of declared clients"
            )
            yield _undeclared(acl, operations, at, where, acls)
        elif (opened := private.opened_by(acl, operations))[0]:
            topics, opening = opened
            yield found(
                PRIVATE_TOPIC_OPEN,
                topic_about(topics[0]),
                topics[0].location,
                f"{acl.principal} has: {words(acl, opening)}, which opens private topics to it: "
                f"{listed([topic.name for topic in topics])}",
                "narrow the ACL, or declare the access if you want it",
                actual=words(acl, operations),
                topics=[topic.name for topic in topics],
            )


def _undeclared(acl: Acl, operations: list[str], at: Place, where: str, acls: frozenset[Acl]) -> Finding:
    """A deny may be all that protects what is declared: nobody should remove it without knowing that."""
    message = f"{acl.principal} has access {where} that is not declared: {words(acl, operations)}"
    fix, reduced = "declare it under acls, or remove it", []
    if acl.permission == "deny":
        message = f"{acl.principal} is denied access {where}, and that is not declared: {words(acl, operations)}"
        forbidden = [replace(acl, operation=operation) for operation in operations]
        allows = [each for each in sorted(acls) if each.permission == "allow"]
        taken = [each for each in allows if any(reduces(deny, each) for deny in forbidden)]
        reduced = [f"{first.principal}: {words(first, given)}" for first, given in together(taken, lambda _: None)]
    if reduced:
        message += f"; it takes away from {listed(reduced, 3)}"
        fix = "declare it under acls, or remove it if those that it keeps out may have this access"
    return found(
        ACCESS_UNDECLARED,
        About("access", acl.principal, at.location),
        at.location,
        message,
        fix,
        actual=words(acl, operations),
    )


def _missing(declared: Mapping[Acl, Grant], acls: frozenset[Acl]) -> Iterator[Finding]:
    """What is not there as declared. A broader ACL of the same permission does the same for now."""
    broader = {"allow": Allowed(acls), "deny": Denied(acls)}
    gone = [acl for acl in declared if acl not in acls]
    covered = {acl for acl in gone if broader[acl.permission].covers(acl)}
    for acl, operations in together(gone, lambda acl: (declared[acl].place.location, acl in covered)):
        grant = declared[acl]
        message = f"{acl.principal} is missing access: {words(acl, operations)} ({grant.reasons[0].text})"
        if acl in covered:
            message += (
                f"; {'broader access' if acl.permission == 'allow' else 'a broader deny'} on the cluster covers it"
            )
        yield found(
            ACCESS_MISSING,
            About("access", acl.principal, grant.place.location),
            grant.place.location,
            message,
            "run pulumi refresh and pulumi up",
            expected=words(acl, operations),
            severity=Severity.WARNING if acl in covered else None,
            covered=acl in covered,
        )


def _refusing(acl: Acl, operations: list[str], clients: list[Grant]) -> Finding:
    grant = clients[0]
    is_partial = not any(acl.host in (client.host, ANYTHING) for client in clients)
    where = f" to clients on the host {acl.host}" if is_partial else ""
    check = "find out whether instances run on that host; " if is_partial else ""
    reasons = list(dict.fromkeys(reason.text for client in clients for reason in client.reasons))
    return found(
        ACCESS_REFUSED,
        About("access", grant.principal, grant.place.location),
        grant.place.location,
        f"{acl.principal} has: {words(acl, operations)}, which refuses what the files declare{where}: "
        f"{listed(reasons)}",
        f"{check}remove or narrow this ACL with kafka-acls --remove, or declare it",
        actual=words(acl, operations),
        severity=Severity.WARNING if is_partial else None,
        refused=sorted({client.principal for client in clients}),
    )


class _Refused:
    """What declared clients are allowed, looked up by what denies it."""

    def __init__(self, declared: Iterable[Grant]) -> None:
        self._grants: dict[str, list[Grant]] = {}
        for grant in declared:
            if grant.permission == "allow":
                self._grants.setdefault(grant.resource, []).append(grant)

    def by(self, acl: Acl, operations: list[str]) -> list[Grant]:
        if acl.permission != "deny":
            return []
        forbidden = [replace(acl, operation=operation) for operation in operations]
        grants = self._grants.get(acl.resource, ())
        return [grant for grant in grants if any(denies(deny, grant) for deny in forbidden)]


def together(acls: Iterable[Acl], place: Callable[[Acl], object]) -> list[tuple[Acl, list[str]]]:
    """ACLs that differ only in the operation are reported together, by the first of them."""
    first: dict[object, Acl] = {}
    operations: dict[Acl, list[str]] = {}
    for acl in acls:
        key = (acl.principal, acl.resource, acl.name, acl.pattern, acl.host, acl.permission, place(acl))
        operations.setdefault(first.setdefault(key, acl), []).append(acl.operation)
    return list(operations.items())


def words(acl: Acl, operations: list[str]) -> str:
    return str(replace(acl, operation=", ".join(operations)))


def owned_by(acl: Acl, ownership: Ownership) -> Place | None:
    """The section of the ownership that covers an ACL: our principals, topics or groups."""
    if ownership.principals and acl.principal.startswith(ownership.principals):
        return ownership.place("principals")
    sections = {"topic": ("topics", ownership.topics), "group": ("groups", ownership.groups)}
    section, prefixes = sections.get(acl.resource, ("", None))
    return ownership.place(section) if prefixes and acl.name.startswith(prefixes) else None


def own_transactional_id(acl: Acl, declared: Mapping[Acl, Grant]) -> Place | None:
    """Who may use the transactional id of a declared producer can fence it out."""
    if acl.resource != "transactional-id":
        return None
    for other, grant in declared.items():
        if other.resource == acl.resource and other.permission == "allow":
            is_inside = acl.name.startswith(other.name) if other.pattern == "prefixed" else acl.name == other.name
            if is_inside:
                return grant.place
    return None


class _Private:
    """The private topics, and who is declared to use each."""

    def __init__(self, topology: Topology, declared: Iterable[Acl], acls: Iterable[Acl]) -> None:
        self._denied = Denied(acls)
        self._topics = {t.name: t for t in topology.topics.values() if t.visibility == "private"}
        self._users: dict[tuple[str, str], set[str]] = {}
        for acl in declared:
            if acl.resource == "topic" and acl.permission == "allow":
                self._users.setdefault((acl.pattern, acl.name), set()).add(acl.principal)
        self._prefixes = [name for pattern, name in self._users if pattern == "prefixed"]

    def opened_by(self, acl: Acl, operations: Collection[str]) -> tuple[list[Topic], list[str]]:
        """The topics that no deny ACL keeps closed, and the operations that open one of them."""
        opening = _OPENING if "All" in operations else _OPENING.intersection(operations)
        if acl.resource != "topic" or acl.permission != "allow" or not opening:
            return [], []
        reached = [topic for topic in self._reached(acl) if acl.principal not in self._declared(topic.name)]
        left = {topic.name: frozenset(self._left(acl, topic.name, opening)) for topic in reached}
        used = frozenset[str]().union(*left.values())
        shown = ["All"] if "All" in operations and used == opening else sorted(used)
        return [topic for topic in reached if left[topic.name]], shown

    def _left(self, acl: Acl, topic: str, operations: Iterable[str]) -> Iterator[str]:
        for operation in operations:
            if not self._denied.covers(replace(acl, name=topic, pattern="literal", operation=operation)):
                yield operation

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
        "access": "missing ACLs; deny ACLs that refuse declared clients; ACLs inside the ownership, or on the "
        "transactional ids of its producers, that nobody declared; ACLs from outside that open private topics"
    },
    reads=(ACLS,),
    checks=(ACCESS_MISSING, ACCESS_REFUSED, ACCESS_UNDECLARED, PRIVATE_TOPIC_OPEN),
    compare=without_options(access_findings),
)
