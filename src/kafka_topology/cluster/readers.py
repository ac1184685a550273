"""Finds the groups of every type whose members read a topic now.

A topic is deleted only if nobody reads it. So a group whose topics cannot be found out counts as a possible reader:
then the answer is a failure, never "nobody".
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from confluent_kafka import ConsumerGroupState
from confluent_kafka.admin import AclOperation  # type: ignore[attr-defined]  # unmarked there

from .groups.committed import committed_offsets
from .groups.listing import SHARE, STREAMS, listed_groups
from .groups.streams.asking import shapes as streams_shapes
from .live.groups import NOT_THERE
from .outcomes import Failure, FailureKind, unanswered
from .privileges import not_allowed
from .share_groups.asking import shapes as share_shapes

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Mapping

    from .connecting.answers import Asking
    from .connecting.second_client import SecondClient
    from .groups.listing import ListedGroup
    from .live.share_groups import ShareShape
    from .live.streams_groups import StreamsShape
    from .outcomes import Outcome

# Classic groups: until their members have agreed, brokers do not say what each of them reads.
_REBALANCING: Final = frozenset({ConsumerGroupState.PREPARING_REBALANCING, ConsumerGroupState.COMPLETING_REBALANCING})


_STOP: Final = "Stop its members first, or declare 'deletion: force' and apply that before deleting"


@dataclass(frozen=True, slots=True)
class _Reader:
    """What a group reads. `unknown` says why it may read more."""

    name: str
    topics: frozenset[str] = frozenset()
    unknown: Failure | None = None


def readers_of(ask: Asking, second: SecondClient, topics: Collection[str]) -> dict[str, Outcome[tuple[str, ...]]]:
    """The groups whose members read each topic. A known reader counts more than a failure to read the others."""
    hidden = _hidden_groups(ask)
    listed = listed_groups(second) if hidden is None else hidden
    if isinstance(listed, Failure):
        return dict.fromkeys(topics, listed)
    active = {name: group for name, group in listed.items() if group.is_active and not group.is_of_workers}
    readers = list(_readers(ask, second, active))
    failure = next((reader.unknown for reader in readers if reader.unknown is not None), None)
    return {
        topic: tuple(sorted(reader.name for reader in readers if topic in reader.topics)) or failure or ()
        for topic in topics
    }


def _readers(ask: Asking, second: SecondClient, active: Mapping[str, ListedGroup]) -> Iterator[_Reader]:
    def those(wanted: Callable[[ListedGroup], bool]) -> list[str]:
        return sorted(name for name, group in active.items() if wanted(group))

    yield from _of_consumers(ask, those(lambda group: group.reads_as_consumer))
    yield from _of_sharing(second, those(lambda group: group.type == SHARE))
    yield from _of_streams(second, those(lambda group: group.type == STREAMS))
    others = those(lambda group: not group.reads_as_consumer and group.type not in {SHARE, STREAMS})
    yield from _of_others(second, {name: active[name] for name in others})


def _of_consumers(ask: Asking, names: list[str]) -> Iterator[_Reader]:
    futures = ask.admin.describe_consumer_groups(names, request_timeout=ask.timeout) if names else {}
    for name, future in futures.items():
        what = f"describing group '{name}'"
        read = _assigned(what, ask.value(what, future))
        noun = f"group '{name}'"
        yield _Reader(noun, unknown=read) if isinstance(read, Failure) else _Reader(noun, read)


def _assigned(what: str, description: Any) -> Outcome[frozenset[str]]:
    if isinstance(description, Failure):
        return _changed(what) if description.kind is FailureKind.MISSING else description
    if description.state in _REBALANCING:
        return unanswered(what, "it is rebalancing, so what it reads is not known yet")
    if description.state is ConsumerGroupState.DEAD:
        return _changed(what)
    assigned = (
        part
        for member in description.members
        for part in (member.assignment, getattr(member, "target_assignment", None))
        if part is not None
    )
    return frozenset(partition.topic for part in assigned for partition in part.topic_partitions)


def _changed(what: str) -> Failure:
    """It was listed with members a moment ago: the groups must be listed again."""
    return unanswered(what, "the group changed while it was read")


def _described(noun: str, shape: Outcome[ShareShape | StreamsShape]) -> _Reader:
    if isinstance(shape, Failure):
        return _Reader(noun, unknown=shape)
    if shape.state == NOT_THERE:
        return _Reader(noun, unknown=_changed(f"describing {noun}"))
    return _Reader(noun, frozenset(shape.topics))


def _of_sharing(second: SecondClient, names: list[str]) -> Iterator[_Reader]:
    for name, shape in (share_shapes(second, names) if names else {}).items():
        yield _described(f"share group '{name}'", shape)


def _of_streams(second: SecondClient, names: list[str]) -> Iterator[_Reader]:
    vague: list[str] = []
    for name, shape in (streams_shapes(second, names) if names else {}).items():
        yield _described(f"streams group '{name}'", shape)
        if not isinstance(shape, Failure) and shape.state != NOT_THERE and not shape.is_complete:
            vague.append(name)
    why = "a topic that it reads is missing, so the brokers do not know yet what else it reads. Create that topic, or"
    yield from _by_offsets(second, dict.fromkeys(vague, ("streams group", f"{why} stop the application")))


def _of_others(second: SecondClient, groups: Mapping[str, ListedGroup]) -> Iterator[_Reader]:
    return _by_offsets(
        second,
        {
            name: ("group", f"it has {group}, so this version of kafka-topology cannot see what it reads. {_STOP}")
            for name, group in groups.items()
        },
    )


def _by_offsets(second: SecondClient, groups: Mapping[str, tuple[str, str]]) -> Iterator[_Reader]:
    """Groups that cannot be described, each with its noun and why. They read what they commit on, and maybe more."""
    for name, offsets in (committed_offsets(second, dict.fromkeys(groups)) if groups else {}).items():
        noun, why = groups[name]
        topics = frozenset() if isinstance(offsets, Failure) else frozenset(topic for topic, _ in offsets)
        yield _Reader(f"{noun} '{name}'", topics, Failure(FailureKind.REJECTED, f"describing {noun} '{name}': {why}"))


def _hidden_groups(ask: Asking) -> Failure | None:
    """Without Describe on the cluster, Kafka lists only the groups you may describe, and names no operations here."""
    what = "listing consumer groups"
    future = ask.admin.describe_cluster(include_authorized_operations=True, request_timeout=ask.timeout)
    cluster = ask.value(what, future)
    if isinstance(cluster, Failure):
        return cluster
    is_allowed = AclOperation.DESCRIBE in (cluster.authorized_operations or ())
    return None if is_allowed else not_allowed(what)
