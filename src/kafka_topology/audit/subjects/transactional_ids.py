"""Checks who else may use the transactional ids of declared clients: Kafka lets the last one fence the others out."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

from kafka_topology.topology.model.words import listed

from ...cluster.live.access import Acl
from ...cluster.outcomes import Failure
from ...topology.kafka.access import derived_acls
from ...topology.kafka.authorizer import ANYTHING, Denied, reaches
from ...topology.model.findings import Severity
from ..check import About, Check, found
from ..subject import Subject, without_options
from .access import ACLS, own_transactional_id, owned_by, together, words

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from ...topology.kafka.access import Grant
    from ...topology.model.declared import Topology
    from ...topology.model.findings import Finding
    from ..observing.snapshot import Snapshot

_RESOURCE: Final = "transactional-id"
# InitProducerId fences out the producer that used the id before.
_FENCING: Final = frozenset({"All", "Write"})
TRANSACTIONAL_ID_OPEN: Final = Check(
    "KTA405", "transactional-id-open", Severity.WARNING,
    "An ACL with a wildcard or a short prefix opens the transactional id of a declared client to a principal that is "
    "not declared for it, and no deny ACL keeps it out.",
    "Kafka gives a transactional id to the producer that asks for it last. The earlier one is fenced out: its "
    "transaction is aborted, and it fails. The ACL is outside the ownership, so `pulumi up` does not remove it.",
    "Narrow the ACL to the transactional ids of that principal, or declare the access if you want it.",
    ("R15", "R18"),
)  # fmt: skip


def transactional_id_findings(topology: Topology, live: Snapshot) -> Iterator[Finding]:
    acls = live.of(ACLS)
    if acls is None or isinstance(acls, Failure):
        return
    declared = {
        Acl(g.principal, g.resource, g.name, g.operation, g.pattern, g.host, g.permission): g
        for g in derived_acls(topology)
        if g.resource == _RESOURCE and g.permission == "allow"
    }
    denied = Denied(acls)
    opening = [
        acl
        for acl in sorted(acls - declared.keys())
        if acl.resource == _RESOURCE and acl.permission == "allow" and acl.operation in _FENCING
    ]
    for acl, operations in together(opening, lambda _: None):
        if owned_by(acl, topology.ownership) or own_transactional_id(acl, declared):
            continue  # undeclared access inside the ownership
        opened = list(_opened(acl, declared, denied))
        if opened:
            ids = list(dict.fromkeys(f"{grant.name} of {grant.principal}" for grant in opened))
            yield found(
                TRANSACTIONAL_ID_OPEN,
                About("access", acl.principal, opened[0].place.location),
                opened[0].place.location,
                f"{acl.principal} has: {words(acl, operations)}, which lets it fence out declared clients: "
                f"{listed(ids)}",
                "narrow the ACL, or declare the access if you want it",
                actual=words(acl, operations),
                transactionalIds=sorted({grant.name for grant in opened}),
            )


def _opened(acl: Acl, declared: Mapping[Acl, Grant], denied: Denied) -> Iterator[Grant]:
    """The grants on transactional ids that the ACL opens: its principal is not declared for them, nor denied."""
    own = [each for each in declared if each.principal == acl.principal]
    for each, grant in declared.items():
        asked = replace(acl, name=each.name, pattern=each.pattern, operation="Write")
        is_reached = reaches(acl.pattern, acl.name, each.name) and not denied.covers(asked)
        if is_reached and not any(_covers(mine, each) for mine in own):
            yield grant


def _covers(mine: Acl, other: Acl) -> bool:
    if mine.pattern == "literal" and mine.name != ANYTHING:
        return (mine.pattern, mine.name) == (other.pattern, other.name)
    return reaches(mine.pattern, mine.name, other.name)


SUBJECT: Final = Subject(
    order=41,
    words=("access",),
    compares={"transactional ids": "ACLs with a wildcard or a short prefix that let others fence out declared clients"},
    reads=(ACLS,),
    checks=(TRANSACTIONAL_ID_OPEN,),
    compare=without_options(transactional_id_findings),
)
