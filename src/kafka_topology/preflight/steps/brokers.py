"""Do the brokers and the provider accept every change?"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Final

from ...audit.check import Check, found
from ...cluster.outcomes import Failure, FailureKind
from ...topology.model.findings import Finding, Severity
from ...topology.model.words import agreeing, counted, listed
from ..facts import in_words
from ..step import Looked, Step

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ..facts import Facts
    from ..requests import Request

REFUSED: Final = Check(
    "KTP101", "request-refused", Severity.ERROR,
    "The brokers refuse a request of this deployment: a new topic, more partitions, or a setting.",
    "`pulumi up` would send the same request and fail half-way, after other resources have changed. The brokers "
    "validated it without applying it, with their own policies.",
    "Change what the message names. If a policy of the cluster refuses it, ask those who run the cluster.",
)  # fmt: skip
FORBIDDEN: Final = Check(
    "KTP102", "change-refused", Severity.ERROR,
    "The provider refuses a change that breaks its promises: to shrink, rename, take over or replace something.",
    "`pulumi up` refuses it, too.",
    "Do what the message says.",
)  # fmt: skip
_UNANSWERED: Final = frozenset({FailureKind.UNCERTAIN, FailureKind.UNREACHABLE, FailureKind.CANCELLED})
_VERBS: Final = {"create": "to create", "update": "to update", "delete": "to delete", "unclear": "that differ"}


def look(facts: Facts) -> Looked:
    asked = [each for each in facts.changes() if each.action != "delete"]
    findings = tuple(finding for each in asked for finding in _findings(facts, each))
    counts = Counter(each.action for each in facts.changes())
    said = ", ".join(f"{count:,} {_VERBS[action]}" for action, count in counts.items()) or "nothing to change"
    if findings:
        said = f"{counted(len(findings), 'change')} refused; {said}"
    return Looked(said, findings, tuple(_unread(asked)))


def _findings(facts: Facts, request: Request) -> Iterator[Finding]:
    for failure in request.failures:
        if failure.kind in _UNANSWERED or failure.kind is FailureKind.DENIED:
            continue  # the permissions are a step of their own
        about = facts.about(request)
        check = REFUSED if failure.kind is FailureKind.REJECTED else FORBIDDEN
        fix = "change what the brokers refuse" if check is REFUSED else "do what the message says"
        yield found(check, about, about.declared, in_words(about, failure), fix, actual=failure.kind.value)


def _unread(asked: list[Request]) -> Iterator[str]:
    silent = [failure for each in asked for failure in each.failures if failure.kind in _UNANSWERED]
    yield from _first(silent)
    unclear = [each.name for each in asked if each.action == "unclear"]
    if unclear:
        verb = agreeing(len(unclear), "differs", "differ")
        differ = f"{counted(len(unclear), 'declared resource')} on the cluster {verb}"
        yield (
            f"{differ} from the files ({listed(unclear)}), and nobody said what was deployed: pass --stack, --state or "
            "--base to tell a change from drift"
        )


def _first(failures: list[Failure]) -> Iterator[str]:
    if failures:
        more = f", and {len(failures) - 1:,} more" if len(failures) > 1 else ""
        yield f"{failures[0].message}{more}"


STEP = Step(
    name="brokers",
    order=20,
    asks="Do the brokers accept every new topic, partition and setting (`validate_only`), and does the provider do it?",
    look=look,
    checks=(REFUSED, FORBIDDEN),
)
