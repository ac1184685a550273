"""What is told of a topic after the cluster has been asked: its outcome, and the words for it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from .outcomes import Failure, FailureKind, Outcome
from .topic_plan import LiveTopic, differences, settings_missing, unmanaged

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .topics import DeclaredTopic


@dataclass(frozen=True, slots=True)
class Applied:
    """What the cluster shows now. `unfinished` says what is still missing of the declaration."""

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
    """The broker made the topic, so it must end up in the state, whatever can be seen of it."""
    if isinstance(live, Failure):
        unseen = LiveTopic(declared.name, "", declared.partitions, declared.replication)
        return Applied(unseen, unfinished=(f"made, but not visible yet: {live.message}",))
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


def gone(name: str) -> Failure:
    return Failure(
        FailureKind.MISSING,
        f"topic '{name}' is in the state and not on the cluster: run 'pulumi refresh', then 'pulumi up' makes it anew.",
    )


def cancelled(name: str) -> Failure:
    return Failure(FailureKind.CANCELLED, f"topic '{name}': stopped before it was done.")


def still_there(name: str) -> Failure:
    return Failure(
        FailureKind.UNCERTAIN,
        f"topic '{name}' was to be deleted and can still be seen: run 'pulumi up' again.",
    )
