"""Who gains and who loses access, as sentences, whatever line of the files it comes from."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from ..topology.access import Grant
from ..topology.model import Topology
from ..validators.access import Allowed
from ..validators.access import shown as resource_shown
from .changes import Change, Effect, Risk
from .versions import Versions, named

Key = tuple[str, str, str, str, str]
_VERBS = {
    "Read": "read",
    "Write": "write",
    "Create": "create",
    "Delete": "delete",
    "Alter": "alter",
    "AlterConfigs": "configure",
    "Describe": "look at",
    "DescribeConfigs": "look at the settings of",
    "ClusterAction": "act as a broker of",
    "IdempotentWrite": "write idempotently to",
    "All": "do everything with",
}
_OTHER_VERBS = {"group": {"Read": "join"}, "transactional-id": {"Write": "use"}}
_ORDER = tuple(_VERBS)
# What one may do anyway with a stronger right.
_WEAK = {"Describe": {"Read", "Write", "Delete", "Alter"}, "DescribeConfigs": {"AlterConfigs"}}


def access_changes(versions: Versions) -> Iterator[Change]:
    old, new = versions.old.grants, versions.new.grants
    was, now = Allowed(old), Allowed(new)
    known, kept = set(old), set(new)
    allowed = ("allow",)
    gained = [g for g in new if g.permission in allowed and g not in known and not was.covers(g)]
    lost = [g for g in old if g.permission in allowed and g not in kept and not now.covers(g)]
    yield from _sentences(versions, gained, _Gained(versions))
    yield from _sentences(versions, lost, _Lost(versions))
    denied = [g for g in new if g.permission == "deny" and g not in known]
    permitted = [g for g in old if g.permission == "deny" and g not in kept]
    yield from _sentences(versions, denied, _Denied(versions))
    yield from _sentences(versions, permitted, _Permitted(versions))


@dataclass(frozen=True, slots=True)
class _Verdict:
    risk: Risk
    reason: str


class _Gained:
    words = "may now {}"
    adds, is_new = True, True

    def __init__(self, versions: Versions) -> None:
        self._before, self._after = versions.old.topology, versions.new.topology
        self._owners = versions.new.owners

    def judge(self, grant: Grant) -> _Verdict:
        if grant.resource == "topic" and grant.pattern == "literal":
            topic = self._after.topics.get(grant.name)
            if topic is not None and grant.name not in self._before.topics:
                return _Verdict(Risk.SAFE, "the topic comes with this change")
            owners = self._owners.get(grant.principal, frozenset())
            if topic is not None and topic.visibility == "private" and topic.owner not in owners and topic.owner:
                return _Verdict(Risk.CARE, f"the topic is private to {topic.owner}: have its owner see it")
            return _Verdict(Risk.CARE, "the topic was there before: have its owner see it")
        if grant.is_derived:
            return _Verdict(Risk.SAFE, "an application's access to what is its own")
        return _Verdict(Risk.CARE, "have it seen by whoever owns what it reaches")


class _Lost:
    words = "may no longer {}"
    adds, is_new = False, False

    def __init__(self, versions: Versions) -> None:
        self._before, self._after = versions.old.topology, versions.new.topology

    def judge(self, grant: Grant) -> _Verdict:
        gone = grant.name in self._before.topics and grant.name not in self._after.topics
        if grant.resource == "topic" and grant.pattern == "literal" and gone:
            return _Verdict(Risk.SAFE, "the topic goes with this change")
        if grant.resource in ("group", "transactional-id") and grant.is_derived:
            return _Verdict(Risk.CARE, "the role that needed it is gone")
        return _Verdict(Risk.BREAKING, "whoever still uses it is refused as soon as this is applied")


class _Denied:
    words = "is now denied to {}"
    adds, is_new = False, True

    def __init__(self, versions: Versions) -> None:
        del versions

    def judge(self, grant: Grant) -> _Verdict:
        del grant
        return _Verdict(Risk.BREAKING, "a denial wins over everything that allows it")


class _Permitted:
    words = "is no longer denied to {}"
    adds, is_new = True, False

    def __init__(self, versions: Versions) -> None:
        del versions

    def judge(self, grant: Grant) -> _Verdict:
        del grant
        return _Verdict(Risk.CARE, "what else allows it counts again")


_Direction = _Gained | _Lost | _Denied | _Permitted


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
    verdict = direction.judge(grant)
    what = resource_shown(grant.resource, grant.name, grant.pattern)
    sentence = f"{grant.principal} {direction.words.format(verbs(grant.resource, operations))} {what}"
    if grant.host != "*":
        sentence += f" from {grant.host}"
    if direction.adds and direction.is_new:
        sentence += f" ({_why(held)})"
    at = grant.place.location
    return Change(
        kind="access",
        name=grant.principal,
        action="add" if direction.is_new else "remove",
        path=what,
        before=None if direction.is_new else ", ".join(operations),
        after=", ".join(operations) if direction.is_new else None,
        team=_team(versions, grant, direction.is_new),
        location=at if direction.is_new else None,
        was_at=None if direction.is_new else at,
        risk=verdict.risk,
        reason=verdict.reason,
        effects=(Effect("access", sentence),),
    )


def verbs(resource: str, operations: tuple[str, ...]) -> str:
    """The operations as words: what a stronger one includes is not said."""
    telling = [op for op in operations if not _WEAK.get(op, set()).intersection(operations)]
    words = {**_VERBS, **_OTHER_VERBS.get(resource, {})}
    return named(tuple(words.get(op, op) for op in telling), most=20)


def _rank(operation: str) -> int:
    return _ORDER.index(operation) if operation in _ORDER else len(_ORDER)


def _why(held: list[Grant]) -> str:
    reasons = dict.fromkeys(reason.text for grant in held for reason in grant.reasons)
    telling = [text for text in reasons if "looks up" not in text and "finds its" not in text]
    return named(tuple(telling or reasons), most=3)


def _team(versions: Versions, grant: Grant, is_new: bool) -> str | None:
    """The owner of what is reached, or else of the role that connects as this principal."""
    version = versions.new if is_new else versions.old
    topology: Topology = version.topology
    if grant.resource == "topic" and grant.name in topology.topics:
        return topology.topics[grant.name].owner
    if grant.resource == "group" and grant.name in topology.consumer_groups:
        return topology.consumer_groups[grant.name].owner
    owners = version.owners.get(grant.principal, frozenset())
    return next(iter(owners)) if len(owners) == 1 else None
