"""May the principal that deploys do all of it?"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Literal

from ...audit.check import Check, about_cluster, found
from ...cluster.outcomes import Failure, FailureKind
from ...provider.resources.descriptor import installed_kinds
from ...topology.model.findings import Finding, Severity
from ...topology.model.words import counted, listed
from ..step import Looked, Step

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from ...cluster.outcomes import Outcome
    from ..facts import Facts
    from ..requests import Request

MISSING: Final = Check(
    "KTP501", "permission-missing", Severity.ERROR,
    "The principal that deploys may not do something that the deployment needs.",
    "`pulumi up` would fail half-way. Kafka's error names neither the operation nor how to allow it; this finding "
    "does, by the provider's table of least privilege.",
    "Grant the operation that the message names, on the prefix that the repository owns.",
    ("R33",),
)  # fmt: skip
# Creating is validated by the brokers themselves; a topic that exists needs no Create, and one that stays no Delete.
_TO_CHANGE: Final = frozenset({"Describe", "DescribeConfigs", "Alter", "AlterConfigs"})
_TO_DELETE: Final = frozenset({"Describe", "DescribeConfigs", "Delete", "Read"})


def look(facts: Facts) -> Looked:
    changes = list(facts.changes())
    findings: list[Finding] = [finding for each in changes for finding in _denied(facts, each)]
    unread: list[str] = []
    if changes:
        findings += _on_cluster(facts, changes, unread)
        findings += _on_names(facts, changes, "Topic", unread)
        findings += _on_names(facts, changes, "ConsumerGroup", unread)
        findings += _on_names(facts, changes, "ShareGroup", unread)
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


def _on_names(facts: Facts, changes: list[Request], kind: str, unread: list[str]) -> Iterator[Finding]:
    """On topics that exist, and on groups. The brokers validate new topics themselves."""
    wanted: dict[str, frozenset[str]] = {}
    section: Literal["topics", "groups"] = "topics" if kind == "Topic" else "groups"
    [row, *_] = installed_kinds()[kind].needs
    for request in changes:
        if request.kind == kind and (request.action != "create" or section == "groups"):
            limit = (
                _TO_DELETE if request.action == "delete" else _TO_CHANGE | ({"Read"} if section == "groups" else set())
            )
            wanted[request.name] = row.operations(section) & limit
    if not wanted:
        return
    ask = facts.asked.permissions.on_topics if kind == "Topic" else facts.asked.permissions.on_groups
    answers: Mapping[str, Outcome[frozenset[str]]] = ask(wanted)
    requests = {each.name: each for each in changes if each.kind == kind}
    for name, allowed in sorted(answers.items()):
        if isinstance(allowed, Failure):
            unread.append(allowed.message)
            continue
        if missing := sorted(wanted[name] - allowed):
            about = facts.about(requests[name])
            noun = section.removesuffix("s")
            yield found(
                MISSING,
                about,
                about.declared,
                f"{name}: to {requests[name].action} it, the principal needs {listed(missing)} on the {noun}",
                f"allow {listed(missing)} on {noun} {name}",
                expected=missing,
                actual=sorted(allowed),
            )


STEP = Step(
    name="permissions",
    order=70,
    asks="May the principal that deploys do all of it, by the provider's table of least privilege?",
    look=look,
    checks=(MISSING,),
)
