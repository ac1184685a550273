"""Is the cluster healthy enough to change it?"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

from ...audit.check import Check, about_cluster, found
from ...audit.observing.live_kafka_topics import OWN_TOPICS
from ...cluster.outcomes import Failure, FailureKind
from ...topology.model.findings import Severity
from ...topology.model.words import counted
from ..step import Looked, Step

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ..facts import Facts

# What makes a change dangerous now, although an audit only warns of it: replicas that are not in sync or on the move.
BLOCKING: Final = frozenset({
    "KTA201", "KTA202", "KTA203", "KTA204", "KTA211", "KTA212", "KTA213", "KTA501", "KTA504", "KTA511", "KTA512",
    "KTA514", "KTA521", "KTA522", "KTA531",
})  # fmt: skip


UNSEEN: Final = Check(
    "KTP502", "kafka-topics-not-seen", Severity.ADVICE,
    "The principal that deploys may not describe Kafka's own topics, so the preflight says nothing about them.",
    "If `__consumer_offsets` or `__transaction_state` has lost its leaders, groups and transactions stop. No change "
    "needs this access, so a deployment goes on without it.",
    "Allow Describe on topics with the prefix `__`, or let an audit with more access watch them.",
)  # fmt: skip


def look(facts: Facts) -> Looked:
    """A severity that the files set for such a rule counts here as well."""
    bad = tuple(
        finding if _is_set(facts, finding.id) else replace(finding, severity=Severity.ERROR)
        for finding in facts.found_by(BLOCKING)
    )
    unseen = tuple(_unseen(facts))
    unread = tuple(reason for reason in facts.unread_by(BLOCKING) if reason not in unseen)
    said = counted(len(bad), "finding") if bad else "brokers, in-sync replicas, controllers and reassignments are fine"
    if not unseen:
        return Looked(said, bad, unread)
    about = about_cluster(facts.topology)
    advice = tuple(
        found(UNSEEN, about, about.declared, reason, "allow Describe on topics with the prefix __") for reason in unseen
    )
    return Looked(f"{said}; Kafka's own topics not seen", (*bad, *advice), unread)


def _unseen(facts: Facts) -> Iterator[str]:
    """Which of Kafka's own topics the principal may not describe. No change of ours needs that."""
    denied = {
        name: topic
        for name, topic in facts.snapshot.of(OWN_TOPICS).items()
        if isinstance(topic, Failure) and topic.kind is FailureKind.DENIED
    }
    yield from OWN_TOPICS.unread(facts.topology, denied)


def _is_set(facts: Facts, rule: str) -> bool:
    setting = facts.topology.rules.get(rule)
    return setting is not None and setting.severity is not None


STEP = Step(
    name="health",
    order=50,
    asks="Are brokers, in-sync replicas, controllers and log directories fine, and is no reassignment under way?",
    look=look,
    checks=(UNSEEN,),
    uses=BLOCKING,
    blocks=BLOCKING,
)
