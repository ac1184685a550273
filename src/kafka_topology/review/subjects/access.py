"""Who gains and who loses access, wherever in the files it comes from."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Final

from kafka_topology.topology.kafka.authorizer import ANYONE, ANYTHING, IMPLIED_BY, reaches
from kafka_topology.topology.model.words import counted, named

from ...topology.kafka.access import Grant
from ...topology.model.declared import Topic, Topology
from ...topology.model.kinds import clients_of
from ...validators.facts.access import reached
from ...validators.facts.access import shown as resource_shown
from ..changes import Change, Effect, Verdict, breaking, care, safe
from ..subject import Subject
from ..versions import Version, Versions

Key = tuple[str, str, str, str, str]
_VERBS = {
    "Read": "read",
    "Write": "write",
    "Create": "create",
    "Delete": "delete",
    "Alter": "alter",
    "AlterConfigs": "configure",
    "Describe": "describe",
    "DescribeConfigs": "read the settings of",
    "ClusterAction": "act as a broker of",
    "IdempotentWrite": "write idempotently to",
    "All": "do everything with",
}
_OTHER_VERBS = {"group": {"Read": "join"}, "transactional-id": {"Write": "use"}}
_ORDER = tuple(_VERBS)


def access_changes(versions: Versions) -> Iterator[Change]:
    old, new = versions.old.grants, versions.new.grants
    was, now = versions.old.allowed, versions.new.allowed
    known, kept = set(old), set(new)
    allowed = ("allow",)
    gained = [g for g in new if g.permission in allowed and g not in known and not was.covers(g)]
    lost = [g for g in old if g.permission in allowed and g not in kept and not now.covers(g)]
    yield from _sentences(versions, gained, _GAINED)
    yield from _sentences(versions, lost, _LOST)
    denied = [g for g in new if g.permission == "deny" and g not in known]
    permitted = [g for g in old if g.permission == "deny" and g not in kept]
    yield from _sentences(versions, denied, _DENIED)
    yield from _sentences(versions, permitted, _PERMITTED)


def _judge_gained(versions: Versions, grant: Grant) -> Verdict:
    if grant.resource == "topic" and grant.pattern == "literal" and grant.name != ANYTHING:
        topic = versions.new.topology.topics.get(grant.name)
        if topic is not None and grant.name not in versions.old.topology.topics:
            return safe("the topic is new in this change")
        owners = versions.new.owners.get(grant.principal, frozenset())
        if topic is not None and topic.visibility == "private" and topic.owner not in owners and topic.owner:
            return care(f"the topic is private to {topic.owner}; ask the owner to approve it")
        return care("the topic exists already; ask its owner to approve it")
    if grant.is_derived:
        return safe("an application's access to its own resources")
    return care("ask the owner of the resource to approve it")


def _judge_lost(versions: Versions, grant: Grant) -> Verdict:
    gone = grant.name in versions.old.topology.topics and grant.name not in versions.new.topology.topics
    if grant.resource == "topic" and grant.pattern == "literal" and gone:
        return safe("this change removes the topic")
    if grant.resource in ("group", "transactional-id") and grant.is_derived:
        return _judge_unneeded(versions, grant)
    return breaking("clients that still use it are refused as soon as this is applied")


def _judge_unneeded(versions: Versions, grant: Grant) -> Verdict:
    """A role's own group or transactional id, which its principal may no longer use."""
    same = (grant.resource, grant.name, grant.pattern, grant.operation)
    others = dict.fromkeys(
        each.principal
        for each in versions.new.grants
        if each.is_derived and (each.resource, each.name, each.pattern, each.operation) == same
    )
    if others:
        return breaking(
            f"its role logs in as {named(tuple(others))}; instances that still log in as {grant.principal} are refused"
        )
    still = any(grant.principal in role.principals for _, role in clients_of(versions.new.topology))
    return care("no role needs it any more" if still else "the role that needed it was removed")


@dataclass(frozen=True, slots=True)
class _Direction:
    """Whether entries are new or gone, and whether that adds access or takes it away."""

    words: str
    adds: bool
    is_new: bool
    judge: Callable[[Versions, Grant], Verdict]


_GAINED = _Direction("may now {}", adds=True, is_new=True, judge=_judge_gained)
_LOST = _Direction("may no longer {}", adds=False, is_new=False, judge=_judge_lost)
_DENIED = _Direction(
    "is now denied to {}", adds=False, is_new=True, judge=lambda *_: breaking("a deny overrides every allow")
)
_PERMITTED = _Direction(
    "is no longer denied to {}",
    adds=True,
    is_new=False,
    judge=lambda *_: care("other entries that allow it take effect again"),
)


def _sentences(versions: Versions, grants: Iterable[Grant], direction: _Direction) -> Iterator[Change]:
    """One change for each principal and resource, with all its operations."""
    gathered: dict[Key, list[Grant]] = {}
    for grant in grants:
        key = (grant.principal, grant.resource, grant.name, grant.pattern, grant.host)
        gathered.setdefault(key, []).append(grant)
    for held in gathered.values():
        yield _change(versions, held, direction)


def _change(versions: Versions, held: list[Grant], direction: _Direction) -> Change:
    grant = held[0]
    operations = tuple(sorted({each.operation for each in held}, key=_rank))
    held_words = ("deny " if grant.permission == "deny" else "") + ", ".join(operations)
    verdict = direction.judge(versions, grant)
    what = resource_shown(grant.resource, grant.name, grant.pattern)
    sentence = f"{grant.principal} {direction.words.format(verbs(grant.resource, operations))} {what}"
    if grant.host != "*":
        sentence += f" from {grant.host}"
    if direction.adds and direction.is_new:
        sentence += f" ({_why(held)})"
    at = grant.place.location
    reach = _reach(versions, grant, operations, adds=direction.adds) if direction in (_GAINED, _LOST) else None
    return Change(
        kind="access",
        name=grant.principal,
        action="add" if direction.is_new else "remove",
        path=what if grant.host == "*" else f"{what} from {grant.host}",
        before=None if direction.is_new else held_words,
        after=held_words if direction.is_new else None,
        team=_team(versions, grant, direction.is_new),
        location=at if direction.is_new else None,
        was_at=None if direction.is_new else at,
        risk=verdict.risk,
        reason=verdict.reason,
        effects=(Effect("access", sentence), *(reach.effects if reach is not None else ())),
        concerns=reach.concerns if reach is not None else (),
        reached=reached(grant, gains=direction.adds),
    )


@dataclass(frozen=True, slots=True)
class _Reach:
    """The declared topics that a principal may use in any way before and after, and those where this access differs."""

    before: tuple[Topic, ...]
    after: tuple[Topic, ...]
    differing: tuple[Topic, ...]
    owners: frozenset[str]  # of the principal's roles
    adds: bool

    @property
    def effects(self) -> tuple[Effect, ...]:
        if {topic.name for topic in self.before} == {topic.name for topic in self.after}:
            otherwise = "which it could use before in other ways" if self.adds else "which it may still use otherwise"
            return (Effect("access", f"on {_counted(self.differing)}, {otherwise}"),) if self.differing else ()
        text = f"topics in reach: {_counted(self.before)} → {_counted(self.after)}, of those declared here"
        effects = [Effect("access", text)]
        private = [topic for topic in self._new if self._is_private(topic)]
        if private and self.adds:
            names = named(tuple(topic.name for topic in private), most=4)
            effects.append(Effect("access", f"new to it: {counted(len(private), 'private topic')} of others: {names}"))
        lost = tuple(topic.name for topic in self._lost)
        if lost:
            effects.append(Effect("access", f"out of reach: {named(lost, most=4)}"))
        return tuple(effects)

    @property
    def concerns(self) -> tuple[tuple[str, str], ...]:
        """The owners of the topics that it may use in other ways from now on, or no longer."""
        differing = self.differing if self.adds else self._lost
        numbers = Counter(topic.owner for topic in differing if topic.owner is not None)
        where = "in reach" if self.adds else "out of reach"
        return tuple((owner, f"{counted(number, 'topic')} {where}") for owner, number in sorted(numbers.items()))

    @property
    def _new(self) -> tuple[Topic, ...]:
        had = {topic.name for topic in self.before}
        return tuple(topic for topic in self.after if topic.name not in had)

    @property
    def _lost(self) -> tuple[Topic, ...]:
        has = {topic.name for topic in self.after}
        return tuple(topic for topic in self.before if topic.name not in has)

    def _is_private(self, topic: Topic) -> bool:
        return topic.visibility == "private" and self.owners.isdisjoint((topic.owner, *topic.shared_with))


def _counted(topics: tuple[Topic, ...]) -> str:
    teams = {topic.owner for topic in topics if topic.owner is not None}
    return counted(len(topics), "topic") + (f" of {counted(len(teams), 'team')}" if teams else "")


def _reach(versions: Versions, grant: Grant, operations: tuple[str, ...], *, adds: bool) -> _Reach | None:
    """None for a grant that names one topic: the sentence says all."""
    if grant.resource != "topic" or (grant.pattern == "literal" and grant.name != ANYTHING):
        return None
    having, without = (versions.new, versions.old) if adds else (versions.old, versions.new)
    differing = tuple(
        topic
        for topic in having.topology.topics.values()
        if reaches(grant.pattern, grant.name, topic.name) and not _is_allowed(without, grant, topic, operations)
    )
    owners = versions.new.owners.get(grant.principal, frozenset())
    before, after = (_used(version, grant.principal) for version in (versions.old, versions.new))
    return _Reach(before, after, differing, owners, adds)


def _is_allowed(version: Version, grant: Grant, topic: Topic, operations: tuple[str, ...]) -> bool:
    """Whether the version allows all of the operations on the topic, from the same host."""
    wanted = (replace(grant, name=topic.name, pattern="literal", operation=each) for each in _telling(operations))
    return all(version.allowed.covers(each) for each in wanted)


def _used(version: Version, principal: str) -> tuple[Topic, ...]:
    """The topics that a principal may use in any way, from any host."""
    held = {
        (grant.pattern, grant.name)
        for grant in version.grants
        if grant.resource == "topic" and grant.permission == "allow" and grant.principal in (principal, ANYONE)
    }
    named_ones = {name for pattern, name in held if pattern == "literal"}
    prefixes = tuple(name for pattern, name in held if pattern == "prefixed")
    return tuple(
        topic
        for topic in version.topology.topics.values()
        if topic.name in named_ones or ANYTHING in named_ones or topic.name.startswith(prefixes)
    )


def verbs(resource: str, operations: tuple[str, ...]) -> str:
    """The operations in words, without those that a stronger one includes."""
    words = {**_VERBS, **_OTHER_VERBS.get(resource, {})}
    return named(tuple(words.get(op, op) for op in _telling(operations)), most=20)


def _telling(operations: tuple[str, ...]) -> tuple[str, ...]:
    """The operations that no other one includes."""
    return tuple(op for op in operations if not set(IMPLIED_BY.get(op, ())).intersection(operations))


def _rank(operation: str) -> int:
    return _ORDER.index(operation) if operation in _ORDER else len(_ORDER)


def _why(held: list[Grant]) -> str:
    telling = _telling(tuple({grant.operation for grant in held}))
    reasons = dict.fromkeys(reason.text for grant in held if grant.operation in telling for reason in grant.reasons)
    return named(tuple(reasons), most=3)


def _team(versions: Versions, grant: Grant, is_new: bool) -> str | None:
    """The owner of the resource, or else of the role that connects as this principal."""
    version = versions.new if is_new else versions.old
    topology: Topology = version.topology
    if grant.resource == "topic" and grant.name in topology.topics:
        return topology.topics[grant.name].owner
    if grant.resource == "group" and grant.name in topology.share_groups:
        return topology.share_groups[grant.name].owner
    if grant.resource == "group" and grant.name in topology.consumer_groups:
        return topology.consumer_groups[grant.name].owner
    owners = version.owners.get(grant.principal, frozenset())
    return next(iter(owners)) if len(owners) == 1 else None


SUBJECT: Final = Subject(order=30, kinds=("access",), sections=("acls",), changes=access_changes)
