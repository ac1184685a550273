"""Added, removed and changed share groups."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from kafka_topology.topology.model.words import agreeing, counted, named

from ...topology.model.declared import ShareGroup
from ...topology.model.units import kafka_integer
from ..changes import Change, Effect, Verdict, breaking, care, destructive, safe, unclassified
from ..fields import changed_fields
from ..judging import field_change, other_type, principal_change, whole_change
from ..subject import Subject
from ..versions import Versions

_KIND = "shareGroup"
_STARTS = {"earliest": "; it starts at the oldest record", "latest": "; it skips existing records"}
_RESET = "share.auto.offset.reset"
_LOCK = "share.record.lock.duration.ms"
_ISOLATION = "share.isolation.level"


def share_group_changes(versions: Versions) -> Iterator[Change]:
    before, after = versions.old.topology.share_groups, versions.new.topology.share_groups
    for name, group in after.items():
        if name not in before:
            yield replace(whole_change((_KIND, name), "add", _added(versions, group), group), team=group.owner)
        elif group != before[name]:
            for path, was, now in changed_fields("shareGroups", before[name], group):
                verdict = _judged(before[name], group, path)
                change = field_change((_KIND, name), path, (was, now), verdict, (before[name], group))
                yield replace(change, team=group.owner)
    for name, group in before.items():
        if name not in after:
            yield replace(whole_change((_KIND, name), "remove", _removed(versions, group), group), team=group.owner)


def _added(versions: Versions, group: ShareGroup) -> Verdict:
    if group.name in versions.old.topology.consumer_groups:
        return other_type(group.name, "a consumer group")
    if group.name in versions.old.topology.streams:
        return other_type(group.name, "a streams application")
    if isinstance(group.start, str):
        starts = _STARTS[group.start]
    else:
        starts = "" if group.start is not None else _STARTS.get(group.group_config.get(_RESET, "latest"), "")
    return safe(f"a new reader of {named(group.topics)}{starts}")


def _removed(versions: Versions, group: ShareGroup) -> Verdict:
    name = group.name
    effects = [Effect("data", f"the start offsets of share group {name} are deleted; if it returns, it starts over")]
    live = versions.live.groups.get(name) if versions.live is not None else None
    if live is not None and live.is_reading:
        verb = agreeing(live.members, "is", "are")
        effects.append(Effect("live", f"{counted(live.members, 'member')} of {name} {verb} reading now"))
    reason = "its position is lost: if it returns, it skips records or processes all of them again"
    if group.deletion == "protected":
        reason += "; protected: `pulumi up` refuses until `deletion: allowed` is applied"
    return destructive(reason, *effects)


def _judged(old: ShareGroup, new: ShareGroup, path: tuple[str, ...]) -> Verdict:
    field = path[0]
    if field == "groupConfig":
        return _setting(old, new, path[-1])
    if field == "topics":
        return _topics(old, new)
    if field == "reset":
        return _reset(old, new)
    if field == "principal":
        return principal_change(old.principals, new.principals)
    if field == "deletion":
        protects = new.deletion == "protected"
        return safe("the group is protected") if protects else care("a later change can delete its start offsets")
    verdicts = {
        "maxLag": safe("an audit compares the lag with it; nothing changes on the cluster"),
        "maxOutage": safe("the rules compare it with the retention; nothing changes on the cluster"),
        "members": safe("every member takes records of all partitions"),
        "start": safe("only a group without start offsets starts there; existing ones stay"),
        "config": care("start the application with it; nothing applies it for you"),
        "owner": care(f"reviews and alerts move from {old.owner or 'nobody'} to {new.owner or 'nobody'}"),
        "ignore": care("a rule is suppressed, or reports again"),
    }
    return verdicts.get(field, unclassified())


def _setting(old: ShareGroup, new: ShareGroup, key: str) -> Verdict:
    was, now = old.group_config.get(key), new.group_config.get(key)
    if key == _RESET:
        return care("partitions without a start offset, such as new ones, begin there; the others stay")
    if key == _ISOLATION and (now or "read_uncommitted") == "read_uncommitted":
        return breaking("the group gets records of transactions that are open or were aborted")
    if key == _LOCK:
        before, after = (kafka_integer(value or "30000") for value in (was, now))
        if before is not None and after is not None and after < before:
            text = f"records that take longer than {now or '30000'} ms are delivered again while they are processed"
            return care("consumers have less time for each record", Effect("client", text))
    return care("all members of the group get it from the broker as soon as it is applied")


def _topics(old: ShareGroup, new: ShareGroup) -> Verdict:
    more = tuple(topic for topic in new.topics if topic not in old.topics)
    less = tuple(topic for topic in old.topics if topic not in new.topics)
    if not less:
        return safe(f"it also reads {named(more)}")
    text = f"its start offsets of {named(less)} stay; if it reads it again later, it continues there"
    return care(f"it no longer reads {named(less)}", Effect("data", text))


def _reset(old: ShareGroup, new: ShareGroup) -> Verdict:
    if new.reset is None:
        return safe("the start offsets stay where they are")
    if old.reset is not None and old.reset.ticket == new.reset.ticket:
        return safe("no start offset moves until the ticket changes, too")
    if new.reset.to == "earliest":
        return breaking(f"{new.name} processes all records in its topics again; refused while it has members")
    if new.reset.to == "latest":
        return destructive(f"{new.name} skips all records that it has not processed; refused while it has members")
    return destructive(
        f"{new.name} continues at another time: it skips unprocessed records before that, or processes records again; "
        "refused while it has members"
    )


SUBJECT: Final = Subject(order=25, kinds=(_KIND,), sections=("share_groups",), changes=share_group_changes)
