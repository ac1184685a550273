"""Outcomes of changes to topics, and their messages."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from kafka_topology.cluster.live.topics import LiveTopic
from kafka_topology.cluster.outcomes import Failure, FailureKind, Outcome

from ..converge import cancelled
from .plan import differences, settings_missing, unmanaged

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .inputs import DeclaredTopic


_NEVER_SEEN: Final = "the brokers accepted its creation in an earlier run, and this stack never saw it"


@dataclass(frozen=True, slots=True)
class Applied:
    """What the cluster shows now. `unfinished` names the parts of the declaration that are still missing."""

    live: LiveTopic
    warnings: tuple[str, ...] = ()
    unfinished: tuple[str, ...] = ()


def adopted(declared: DeclaredTopic, live: Outcome[LiveTopic]) -> Outcome[Applied]:
    if isinstance(live, Failure):
        return live
    reason = why_not_adopt(declared, live)
    if reason is not None:
        return Failure(FailureKind.EXISTS, reason)
    return Applied(live, warnings=(*_unmanaged_warning(declared, live),))


def why_not_adopt(declared: DeclaredTopic, live: LiveTopic) -> str | None:
    lines = differences(declared, live)
    if not lines:
        return None
    name = declared.name
    return (
        f"topic '{name}' exists already and differs from the declaration ({'; '.join(lines)}). "
        f"Nothing was changed. Declare what is there, or take it over with 'pulumi import "
        f"kafka-topology:index:Topic {name} {name}' and apply the difference as an update."
    )


def made(declared: DeclaredTopic, live: Outcome[LiveTopic]) -> Outcome[Applied]:
    """The outcome after a broker created the topic: it must end up in the state, even if it is not visible yet."""
    if isinstance(live, Failure):
        unseen = LiveTopic(declared.name, "", declared.partitions, declared.replication)
        return Applied(unseen, unfinished=(f"created, but not visible yet: {live.message}",))
    return Applied(live, unfinished=differences(declared, live))


def updated(declared: DeclaredTopic, live: Outcome[LiveTopic], errors: tuple[str, ...]) -> Outcome[Applied]:
    if isinstance(live, Failure):
        return live
    return Applied(
        live,
        warnings=(*_unmanaged_warning(declared, live),),
        unfinished=(*errors, *settings_missing(declared, live)),
    )


def _unmanaged_warning(declared: DeclaredTopic, live: LiveTopic) -> Iterator[str]:
    keys = unmanaged(declared, live)
    if keys:
        yield (f"topic '{declared.name}' has config that is not declared and is left alone: {', '.join(keys)}.")


def missing(name: str) -> Failure:
    return Failure(
        FailureKind.MISSING,
        f"topic '{name}' is in the state and not on the cluster: somebody deleted it and its records. Run 'pulumi "
        "refresh'; the next 'pulumi up' creates it empty.",
    )


def stopped(name: str) -> Failure:
    return cancelled(f"topic '{name}'")


def still_there(name: str) -> Failure:
    return Failure(
        FailureKind.UNCERTAIN,
        f"topic '{name}' should be deleted but still exists: run 'pulumi up' again.",
    )


def producers_unknown(name: str) -> str:
    return (
        f"topic '{name}' is empty and is deleted, but its brokers are too old to say who wrote to it lately: they are "
        "older than Kafka 2.8. The only check was that no record arrived in the meantime."
    )


def vanished(name: str, topic_id: object) -> str:
    if not topic_id:
        return (
            f"topic '{name}' is not on the cluster: {_NEVER_SEEN}. If somebody used it and deleted it since, its "
            "records are gone. The next 'pulumi up' creates it."
        )
    return (
        f"topic '{name}' (id {topic_id}) HAS VANISHED: it is not on the cluster any more, and this stack "
        "did not delete it. ALL ITS RECORDS ARE GONE. Find out who deleted it before you apply anything: the next "
        "'pulumi up' creates it again, empty. To give it up instead, remove it from the declaration."
    )


def created_again(name: str) -> str:
    return f"topic '{name}' is not on the cluster: {_NEVER_SEEN}. It is created again."


def made_again(name: str) -> str:
    return (
        f"topic '{name}' had vanished from the cluster and is created EMPTY: the records that it held are gone. "
        "Restore them from a copy if there is one, and reset the groups that read it."
    )
