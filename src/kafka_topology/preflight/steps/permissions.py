"""May the principal that deploys do all of it?"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, TypeAlias

from ...audit.check import Check, about_cluster, found
from ...cluster.outcomes import Failure, FailureKind
from ...provider.resources.descriptor import installed_kinds
from ...topology.kafka.acls import OPERATIONS
from ...topology.model.findings import Finding, Severity
from ...topology.model.words import counted, listed
from ..needs import needed_for
from ..step import Looked, Step

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from ...cluster.outcomes import Outcome
    from ..facts import Facts
    from ..needs import Operations
    from ..requests import Request

MISSING: Final = Check(
    "KTP501", "permission-missing", Severity.ERROR,
    "The principal that deploys may not do something that the deployment needs.",
    "`pulumi up` would fail half-way. Kafka's error names neither the operation nor how to allow it; this finding "
    "does, by the provider's table of least privilege.",
    "Grant the operation that the message names, on the prefix that the repository owns.",
    ("R33",),
)  # fmt: skip
_VERBS: Final = {"create": "create", "update": "update", "delete": "delete"}
# Describe and Create of new topics are answered when the brokers validate them.
_OF_NEW: Final = frozenset({"Read", "DescribeConfigs"})
_ALL: Final = frozenset(OPERATIONS)
_Wanted: TypeAlias = "tuple[Request, str, str, Operations]"
"""A change, and the operations that it needs on a topic or group of that name."""


def look(facts: Facts) -> Looked:
    changes = list(facts.changes())
    findings: list[Finding] = [finding for each in changes for finding in _denied(facts, each)]
    unread: list[str] = []
    if changes:
        findings += _on_cluster(facts, changes, unread)
        findings += _on_names(facts, changes, unread)
    unique = tuple({finding.message: finding for finding in findings}.values())
    said = f"{counted(len(unique), 'permission')} missing" if unique else "everything that changes is allowed"
    return Looked(said if changes else "nothing to change", unique, tuple(dict.fromkeys(unread)))


def _denied(facts: Facts, request: Request) -> Iterator[Finding]:
    for failure in request.failures:
        if failure.kind is FailureKind.DENIED:
            about = facts.about(request)
            yield found(MISSING, about, about.declared, failure.message, "grant what the message names")


def needed_on_cluster(changes: Iterable[Request]) -> dict[str, str]:
    """Each operation on the cluster that the changes need, with what needs it, by the table of least privilege."""
    needed: dict[str, str] = {}
    for request in changes:
        kind = installed_kinds()[request.kind]
        for row in kind.needs:
            if not row.when or (request.action == "update" and "replication" in request.changed):
                needed |= {
                    name: f"{kind.name} '{request.name}'" for name in row.operations("cluster") if name not in needed
                }
    return needed


def _on_cluster(facts: Facts, changes: list[Request], unread: list[str]) -> Iterator[Finding]:
    needed = needed_on_cluster(changes)
    allowed = facts.asked.permissions.on_cluster()
    if isinstance(allowed, Failure):
        unread.append(allowed.message)
        return
    about = about_cluster(facts.topology)
    if "Describe" not in allowed:
        # Without it, Kafka does not say what else is allowed.
        if others := sorted(needed.keys() - {"Describe"}):
            unread.append(
                f"whether {listed(others)} on the cluster is allowed: the principal needs Describe on the cluster"
            )
        needed = {name: who for name, who in needed.items() if name == "Describe"}
    for name, who in sorted(needed.items()):
        if name not in allowed:
            yield found(
                MISSING,
                about,
                about.declared,
                f"{who} needs {name} on the cluster, and the principal may not do that",
                f"allow {name} on the cluster",
                expected=name,
                actual=sorted(allowed),
            )


def _on_names(facts: Facts, changes: list[Request], unread: list[str]) -> Iterator[Finding]:
    """On topics and groups. A topic that this deployment creates shows nothing of itself yet, so others ask for it."""
    wanted: list[_Wanted] = []
    for request in changes:
        needed = needed_for(facts, request)
        if needed.own:
            wanted.append((request, "topic" if request.kind == "Topic" else "group", request.name, needed.own))
        wanted += [(request, "topic", topic, operations) for topic, operations in needed.topics.items()]
    allowed = _allowed(facts, wanted)
    for request, noun, name, operations in wanted:
        may, asked = allowed[noun, name]
        if isinstance(may, Failure):
            unread.append(may.message)
        elif missing := sorted(operations & asked - may):
            about = facts.about(request)
            where = noun if name == request.name else f"{noun} {name}"
            message = (
                f"{about.name}: to {_VERBS.get(request.action, 'change')} it, the principal needs {listed(missing)}"
            )
            yield found(
                MISSING,
                about,
                about.declared,
                f"{message} on the {where}{facts.without_place(request)}",
                f"allow {listed(missing)} on {noun} {name}",
                expected=missing,
                actual=sorted(may),
            )


def _allowed(facts: Facts, wanted: list[_Wanted]) -> dict[tuple[str, str], tuple[Outcome[Operations], Operations]]:
    """What is allowed on each topic and group, and which operations that answers."""
    permissions = facts.asked.permissions
    topics, groups = (sorted({name for _, noun, name, _ in wanted if noun == each}) for each in ("topic", "group"))
    on_topics = permissions.on_topics(topics)
    new = {name for name, may in on_topics.items() if isinstance(may, Failure) and may.kind is FailureKind.MISSING}
    to_read = {name for _, noun, name, operations in wanted if noun == "topic" and "Read" in operations and name in new}
    found: dict[tuple[str, str], tuple[Outcome[Operations], Operations]] = {}
    found |= {("topic", name): (may, _ALL) for name, may in on_topics.items()}
    found |= {("topic", name): (may, _OF_NEW) for name, may in permissions.on_new_topics(new, to_read).items()}
    return found | {("group", name): (may, _ALL) for name, may in permissions.on_groups(groups).items()}


STEP = Step(
    name="permissions",
    order=70,
    asks="May the principal that deploys do all of it, by the provider's table of least privilege?",
    look=look,
    checks=(MISSING,),
)
