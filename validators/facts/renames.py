"""Removed topics and groups that come back under another name, as far as shape, users and names show."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from difflib import SequenceMatcher
from itertools import islice
from typing import Generic, TypeVar

from kafka_topology.topology.model.declared import ConsumerGroup, Topic

from .changes import Changes, removed
from .indexes import Index

Thing = TypeVar("Thing", Topic, ConsumerGroup)

_ALIKE = 0.6
_MOST_CANDIDATES = 50  # per removed name, to keep large changes fast
# Products of lengths, of all names together: about 15,000 comparisons. Nobody renames thousands in one change.
_MOST_EFFORT = 4_000_000
_LEAST_EFFORT = 200  # of one comparison, however short the names


def renamed_topics(changes: Changes) -> Iterator[tuple[Topic, Topic]]:
    return _pairs(
        [
            _Candidate(topic, topic.name, _shape(topic), _users(changes.old_index, topic.name))
            for topic in changes.removed_topics
        ],
        [
            _Candidate(topic, topic.name, _shape(topic), _users(changes.new_index, topic.name))
            for topic in changes.added_topics
        ],
    )


def renamed_groups(changes: Changes) -> Iterator[tuple[ConsumerGroup, ConsumerGroup]]:
    before, after = changes.before.consumer_groups, changes.after.consumer_groups
    gone, come = (
        [_Candidate(group, group.name, _reads(group), group.principals) for group in groups]
        for groups in (removed(before, after), removed(after, before))
    )
    return _pairs(gone, come)


@dataclass(frozen=True, slots=True)
class _Candidate(Generic[Thing]):
    """Two resources of one shape that share one of the `users` are the same under another name."""

    thing: Thing
    name: str
    shape: Hashable
    users: tuple[Hashable, ...]


def _pairs(old: Iterable[_Candidate[Thing]], new: Iterable[_Candidate[Thing]]) -> Iterator[tuple[Thing, Thing]]:
    """Each removed resource with the added one of the same shape that is most similar, if any is similar enough."""
    by_shape: dict[Hashable, dict[str, _Candidate[Thing]]] = {}
    by_users: dict[Hashable, list[_Candidate[Thing]]] = {}
    for each in new:
        by_shape.setdefault(each.shape, {})[each.name] = each
        for user in each.users:
            by_users.setdefault((each.shape, user), []).append(each)
    effort = _Effort()
    for gone in old:
        left = by_shape.get(gone.shape, {})
        sharing = (other for user in gone.users for other in by_users.get((gone.shape, user), ()))
        best = next((other for other in sharing if other.name in left), None) or _most_alike(gone, left, effort)
        if best is not None:
            del left[best.name]
            yield gone.thing, best.thing


@dataclass(slots=True)
class _Effort:
    left: int = _MOST_EFFORT


def _most_alike(
    gone: _Candidate[Thing], left: Mapping[str, _Candidate[Thing]], effort: _Effort
) -> _Candidate[Thing] | None:
    likeness, best = 0.0, None
    for other in islice(left.values(), _MOST_CANDIDATES):
        effort.left -= max(_LEAST_EFFORT, len(gone.name) * len(other.name))
        if effort.left < 0:
            break
        alike = _likeness(gone.name, other.name, at_least=max(likeness, _ALIKE))
        if alike > likeness:
            likeness, best = alike, other
    return best


def _likeness(one: str, other: str, at_least: float) -> float:
    """How similar two names are, without the prefix that a team gives to everything. 0 if they are less alike."""
    parts, others = one.split("."), other.split(".")
    while len(parts) > 1 and len(others) > 1 and parts[0] == others[0]:
        parts, others = parts[1:], others[1:]
    matcher = SequenceMatcher(None, ".".join(parts), ".".join(others))
    if matcher.real_quick_ratio() < at_least or matcher.quick_ratio() < at_least:
        return 0.0
    ratio = matcher.ratio()
    return ratio if ratio >= at_least else 0.0


def _shape(topic: Topic) -> Hashable:
    key, value = topic.key, topic.value
    return (
        topic.partitions,
        topic.owner,
        topic.ordering,
        (key.type, key.pattern_name, key.field) if key is not None else None,
        (value.format, value.schema) if value is not None else None,
    )


def _reads(group: ConsumerGroup) -> Hashable:
    return (frozenset(group.topics), frozenset(group.assign.items()))


def _users(index: Index, topic: str) -> tuple[Hashable, ...]:
    """All users of a topic as one: another topic is the same only if exactly these use it."""
    found = frozenset(f"{type(user).__name__} {user.name}" for user in index.clients.users_of(topic))
    return (found,) if found else ()
