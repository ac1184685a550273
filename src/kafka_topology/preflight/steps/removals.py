"""Does anybody still use what would be deleted or changed?"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from ...audit.check import Check, about_cluster, found
from ...audit.observing.live_topics import TOPIC_NAMES
from ...cluster.outcomes import Failure, FailureKind
from ...provider.resources.topic import inputs
from ...provider.resources.topic.inputs import is_owned
from ...topology.model.findings import Finding, Severity
from ...topology.model.words import agreeing, counted, listed
from ..facts import in_words
from ..step import Looked, Step

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ...cluster.live.topics import TopicContents
    from ...cluster.outcomes import Outcome
    from ..facts import Facts
    from ..requests import Request

KEPT: Final = Check(
    "KTP201", "removal-refused", Severity.ERROR,
    "The deployment would delete something that must stay: it is protected, read, written, not empty, or one too many.",
    "`pulumi up` refuses it after everything else was applied, and deleted records cannot be brought back.",
    "Declare it again, or release it as the message says, in a deployment of its own.",
)  # fmt: skip
READ: Final = Check(
    "KTP202", "change-while-read", Severity.WARNING,
    "The deployment changes where keys go or which records stay, and groups read the topic now.",
    "After more partitions, a key's later records are in another partition, so a running reader sees them out of "
    "order. A shorter retention or compaction removes records that a reader may not have read.",
    "Let the readers catch up first, or ask their owners.",
)  # fmt: skip
USED: Final = Check(
    "KTP203", "removal-of-used-topic", Severity.WARNING,
    "The deployment deletes a topic that groups read or that holds records: `deletion: force` permits it.",
    "Readers fail or wait for ever, and deleted records cannot be brought back.",
    "Move the readers first. Declare `deletion: allowed` instead, and `pulumi up` refuses while the topic is used.",
)  # fmt: skip
# Settings that decide which records stay.
_KEEPING: Final = ("retention.ms", "retention.bytes", "cleanup.policy", "local.retention.ms", "local.retention.bytes")
_SILENT: Final = frozenset({FailureKind.UNCERTAIN, FailureKind.UNREACHABLE, FailureKind.DENIED})


def look(facts: Facts) -> Looked:
    removed = [each for each in facts.changes() if each.action == "delete"]
    risky = {each.name: each for each in facts.changes("Topic") if _is_risky(each)}
    forced = {each.name: each for each in removed if each.kind == "Topic" and not each.failures}
    readers = facts.asked.readers_of({*risky, *forced}) if risky or forced else {}
    counts = {name: inputs.parse(each.inputs).partitions for name, each in forced.items()}
    contents = facts.asked.contents_of(counts) if counts else {}
    findings = (
        *_too_many(facts),
        *(finding for each in removed for finding in _kept(facts, each)),
        *(
            finding
            for name, each in sorted(forced.items())
            for finding in _used(facts, each, readers[name], contents[name])
        ),
        *(
            _read(facts, risky[name], groups)
            for name, groups in sorted(readers.items())
            if name in risky and not isinstance(groups, Failure) and groups
        ),
    )
    unread = [
        *(failure.message for each in removed for failure in each.failures if failure.kind in _SILENT),
        *dict.fromkeys(each.message for each in (*readers.values(), *contents.values()) if isinstance(each, Failure)),
        *_unknown(facts),
    ]
    return Looked(_said(facts, removed), findings, tuple(unread))


def _said(facts: Facts, removed: list[Request]) -> str:
    if facts.deployed is None:
        return (
            "what was deployed is unknown" if any(_unknown(facts)) else "the cluster has nothing that it could delete"
        )
    if not removed:
        return "nothing is deleted"
    kept = sum(any(failure.kind not in _SILENT for failure in each.failures) for each in removed)
    many = f", at most {facts.asked_for.most_deletions:,} in one run" if facts.asked_for.has_too_many else ""
    return f"{counted(len(removed), 'resource')} to delete, {kept:,} of them must stay{many}"


def _kept(facts: Facts, request: Request) -> Iterator[Finding]:
    for failure in request.failures:
        if failure.kind not in _SILENT:
            about = facts.about(request)
            message = in_words(about, failure) + facts.without_place(request)
            yield found(KEPT, about, about.declared, message, "declare it again, or release it first")


def _too_many(facts: Facts) -> Iterator[Finding]:
    asked = facts.asked_for
    if asked.has_too_many:
        about = about_cluster(facts.topology)
        yield found(
            KEPT,
            about,
            about.declared,
            f"this deployment would delete {counted(asked.deletions, 'resource')}, and maxDeletes is "
            f"{asked.most_deletions:,}: pulumi up deletes that many and then fails",
            "delete in several steps, or raise it with pulumi config set kafka-topology:maxDeletes",
            expected=asked.most_deletions,
            actual=asked.deletions,
        )


def _used(
    facts: Facts, request: Request, groups: Outcome[tuple[str, ...]], held: Outcome[TopicContents]
) -> Iterator[Finding]:
    said = []
    if not isinstance(groups, Failure) and groups:
        said.append(f"{listed(groups)} {agreeing(len(groups), 'reads', 'read')} it")
    if not isinstance(held, Failure) and held.offsets > 0:
        said.append(f"it holds up to {counted(held.offsets, 'record')}")
    if said:
        about = facts.about(request)
        message = f"{about.name} is deleted by force, and {' and '.join(said)}{facts.without_place(request)}"
        yield found(USED, about, about.declared, message, "move the readers and keep the records first")


def _read(facts: Facts, request: Request, groups: tuple[str, ...]) -> Finding:
    about = facts.about(request)
    what = listed([path.replace('config["', "").replace('"]', "") for path in request.changed])
    return found(
        READ,
        about,
        about.declared,
        f"{about.name}: {what} changes while {listed(groups)} {agreeing(len(groups), 'reads', 'read')} it",
        "let the readers catch up first, or ask their owners",
        actual=list(groups),
    )


def _is_risky(request: Request) -> bool:
    return request.action == "update" and any(
        path == "partitions" or any(key in path for key in _KEEPING) for path in request.changed
    )


def _unknown(facts: Facts) -> Iterator[str]:
    """Without what was deployed: topics that `up` deletes if the stack has them. None inside the ownership is fine."""
    names = facts.snapshot.of(TOPIC_NAMES)
    if facts.deployed is not None:
        return
    owned = facts.topology.ownership.topics
    if owned is None or names is None or isinstance(names, Failure):
        yield (
            "what `pulumi up` would delete: nobody said what was deployed, and no ownership limits it; pass --stack, "
            "--state or --base"
        )
        return
    undeclared = sorted(name for name in names - facts.topology.topics.keys() if is_owned(name, owned))
    if undeclared:
        yield (
            f"{counted(len(undeclared), 'topic')} inside the ownership ({listed(undeclared)}) "
            f"{agreeing(len(undeclared), 'is', 'are')} not declared: `pulumi up` deletes what its stack deployed; "
            "pass --stack, --state or --base"
        )


STEP = Step(
    name="removals",
    order=30,
    asks="Does anybody read or write what would be deleted, and who reads topics whose partitions or retention change?",
    look=look,
    checks=(KEPT, READ, USED),
    uses=frozenset({"KTA101"}),
)
