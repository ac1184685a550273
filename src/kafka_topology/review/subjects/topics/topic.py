"""Added, removed and changed topics."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import Any

from kafka_topology.topology.model.declared import CheckLimits, Topic
from kafka_topology.topology.model.places import Location
from kafka_topology.topology.model.schema_files import changed_line, whole_schema
from kafka_topology.topology.model.words import agreeing, counted, named
from kafka_topology.validators.facts.changes import about, folder_shown
from kafka_topology.validators.facts.compatibility import Part

from ...causes import changed_at
from ...changes import Change, Effect, Verdict, breaking, care, destructive, safe, short_digest, unclassified
from ...fields import Path, changed_fields, dotted, shown
from ...versions import Versions
from .configs import ConfigChange, config
from .counts import partitions, replication
from .records import compatibility, key, schema_edit, value_format, value_schema


def topic_changes(versions: Versions) -> Iterator[Change]:
    before, after = versions.old.topology.topics, versions.new.topology.topics
    for name, topic in after.items():
        if name not in before:
            yield _added(versions, topic)
        else:
            yield from _changed(versions, before[name], topic)
    for name, topic in before.items():
        if name not in after:
            yield _removed(versions, topic)
    for old, new in versions.renamed[0]:
        yield from _changed(versions, old, new)


def _added(versions: Versions, topic: Topic) -> Change:
    has = f"{counted(topic.partitions, 'partition')}, {counted(topic.replication, 'replica')}"
    kept = versions.new.disk_bytes(topic)
    effects = []
    if kept is not None:
        from_declaration = f"about {about(kept * topic.replication)} of disk over all its replicas"
        effects.append(Effect("disk", f"{topic.name} will use {from_declaration}"))
    return Change(
        kind="topic",
        name=topic.name,
        action="add",
        after=has,
        team=topic.owner,
        location=topic.location,
        risk=safe("").risk,
        reason=f"a new topic with {has}; nobody depends on it yet",
        effects=tuple(effects),
    )


def _removed(versions: Versions, topic: Topic) -> Change:
    size = versions.held_now(topic)
    holds = f", about {size.times(1)}" if size is not None else ""
    effects = [Effect("data", f"every record of {topic.name} is deleted{holds}")]
    readers = tuple(name for name in versions.old.reader_names(topic.name) if name in _roles(versions))
    if readers:
        effects.append(Effect("stall", f"{named(readers)} can no longer read it"))
    live = versions.live_users(topic.name)
    if live:
        effects.append(Effect("live", f"{named(live)} {agreeing(len(live), 'reads', 'read')} it now"))
    reason = {
        "protected": "deletes its records, too; protected: `pulumi up` refuses until `deletion: allowed` is applied",
        "allowed": "deletes its records, too, unless it is in use or still holds records: then `pulumi up` stops",
        "force": "deletes its records, too, even while it is in use: `deletion: force`",
    }[topic.deletion]
    return Change(
        kind="topic",
        name=topic.name,
        action="remove",
        before=f"{counted(topic.partitions, 'partition')}, {counted(topic.replication, 'replica')}",
        team=topic.owner,
        was_at=topic.location,
        risk=destructive("").risk,
        reason=reason,
        effects=tuple(effects),
    )


def _roles(versions: Versions) -> set[str]:
    topology = versions.new.topology
    return {*topology.consumer_groups, *topology.share_groups, *topology.streams}


def _changed(versions: Versions, old: Topic, new: Topic) -> Iterator[Change]:
    if old != new:
        for path, before, after in changed_fields("topics", old, new):
            if path[0] != "config" and path != ("retention",):
                yield _change(versions, (old, new), path, (before, after), _judged(versions, old, new, path))
    yield from _config_changes(versions, old, new)
    yield from _schema_changes(versions, old, new)


def _change(
    versions: Versions, topics: tuple[Topic, Topic], path: Path, values: tuple[Any, Any], verdict: Verdict
) -> Change:
    before, after = (shown(value, path[-1]) for value in values)
    old, new = topics
    changed = changed_at(versions, old, new, path)
    return Change(
        kind="topic",
        name=new.name,
        action="change",
        path=dotted(path),
        before=before,
        after=after,
        team=new.owner,
        location=changed.location,
        was_at=old.location,
        risk=verdict.risk,
        reason=verdict.reason,
        effects=verdict.effects,
        cause=changed.cause,
        unchecked=verdict.unchecked,
        is_without_effect=verdict.is_without_effect,
        after_place=new.place(*path).location,
    )


def _config_changes(versions: Versions, old: Topic, new: Topic) -> Iterator[Change]:
    """Effective values that differ, whether set by the topic, a profile, the cluster or Kafka's version."""
    names = {*old.config, *new.config, *_inherited_names(versions)}
    for name in sorted(names):
        before, after = versions.old.text(old, name), versions.new.text(new, name)
        was, now = versions.old.number(old, name), versions.new.number(new, name)
        if before == after or (was is not None and was == now):
            continue  # wherever it is set now
        verdict = config(ConfigChange(versions, old, new, name, before, after, was, now))
        if verdict.is_without_effect and name not in old.config and name not in new.config:
            continue  # the line of the cluster is a change of its own
        yield _change(versions, (old, new), ("config", name), (before, after), verdict)


def _inherited_names(versions: Versions) -> tuple[str, ...]:
    """Topic settings with another inherited value, because of the cluster's defaults or Kafka's version."""
    old, new = versions.old.topology.cluster, versions.new.topology.cluster
    if old.kafka == new.kafka and old.defaults == new.defaults:
        return ()
    known = {**versions.old.settings.catalogue.topic, **versions.new.settings.catalogue.topic}
    nothing = Topic(name="", partitions=1, replication=1, place=versions.new.topology.place)
    return tuple(name for name in known if versions.old.text(nothing, name) != versions.new.text(nothing, name))


def _schema_changes(versions: Versions, old: Topic, new: Topic) -> Iterator[Change]:
    """Schema files of the same name whose content differs."""
    parts: tuple[Part, ...] = ("key", "value")
    for part in parts:
        before, after = (getattr(getattr(topic, part), "schema", None) for topic in (old, new))
        if before is None or before != after:
            continue
        was, now = (whole_schema(before, each.topology.schemas) for each in (versions.old, versions.new))
        if was and now and was != now:
            verdict = schema_edit(versions, old, new, part)
            texts = [text for whole in (was, now) for each in sorted(whole.items()) for text in each]
            edited = f"{before} (edited, {short_digest(*texts)})"  # or an acceptance of it would accept every edit
            change = _change(versions, (old, new), (part, "schema"), (before, edited), verdict)
            at = _edited_at(versions, new, (before, was, now))
            yield replace(change, location=at, cause=None) if at is not None else change


def _edited_at(
    versions: Versions, topic: Topic, files: tuple[str, Mapping[str, str], Mapping[str, str]]
) -> Location | None:
    """The line of the schema, or of a file that it refers to, that changed; None if its file cannot be named."""
    own, was, now = files
    folder = folder_shown(versions.new.topology, topic.location)
    changed = [name for name in (own, *sorted(now)) if name in now and was.get(name) != now[name]]
    if folder is None or not changed:
        return None
    line = changed_line(was.get(changed[0], ""), now[changed[0]])
    written = (now[changed[0]].splitlines() or [""])[line - 1 : line]
    return Location(f"{folder}{changed[0]}", line, 1, line, len("".join(written)) + 1)


def _judged(versions: Versions, old: Topic, new: Topic, path: Path) -> Verdict:
    if path[0] == "key":
        return key(versions, old, new, path)
    judge = _BY_FIELD.get(dotted(path)) or _BY_FIELD.get(path[0])
    return judge(versions, old, new) if judge is not None else unclassified()


def _ordering(versions: Versions, old: Topic, new: Topic) -> Verdict:
    order = ("none", "per-key", "total")
    if order.index(new.ordering) > order.index(old.ordering):
        return care("a stronger promise; existing records were not written under it")
    readers = versions.new.reader_names(new.name)
    who = f"{named(readers)} can" if readers else "readers can"
    return breaking(f"{who} no longer rely on the promised order")


def _visibility(versions: Versions, old: Topic, new: Topic) -> Verdict:  # noqa: ARG001
    if new.visibility == "public":
        return care("a promise to teams you may not know: name, key and schema become hard to change")
    clients = versions.new.index.clients
    allowed = (None, new.owner, *new.shared_with)
    readers = [(reader.name, reader.declared.owner) for reader in clients.readers_of(new.name)]
    readers += [(sharer.name, sharer.declared.owner) for sharer in clients.sharers_of(new.name)]
    others = tuple(name for name, owner in readers if owner not in allowed)
    effects = (Effect("stall", f"{named(others)} of other teams may no longer read it"),) if others else ()
    return breaking("teams that relied on the public topic lose it", *effects)


def _shared_with(versions: Versions, old: Topic, new: Topic) -> Verdict:  # noqa: ARG001
    let_in = tuple(team for team in new.shared_with if team not in old.shared_with)
    if let_in:
        return care(f"clients of {named(let_in)} may use the private topic from now on")
    left_out = tuple(team for team in old.shared_with if team not in new.shared_with)
    return care(f"clients of {named(left_out)} may no longer be given access to the topic; their ACLs stay as declared")


def _owner(versions: Versions, old: Topic, new: Topic) -> Verdict:  # noqa: ARG001
    return care(f"reviews, alerts and access decisions move from {old.owner or 'nobody'} to {new.owner or 'nobody'}")


def _headers(versions: Versions, old: Topic, new: Topic) -> Verdict:  # noqa: ARG001
    was = set(old.headers.required) if old.headers else set()
    now = set(new.headers.required) if new.headers else set()
    if now - was:
        return care(f"every producer must send {named(tuple(sorted(now - was)))}; existing records do not have it")
    return care("the headers that readers can expect change")


def _checks(versions: Versions, old: Topic, new: Topic) -> Verdict:  # noqa: ARG001
    laxer = tuple(
        name for name in {**old.checks, **new.checks} if _is_laxer(old.checks.get(name), new.checks.get(name))
    )
    if laxer:
        return care(f"record checks tolerate more than before: {named(tuple(sorted(laxer)))}")
    return safe("record checks tolerate less than before; nothing is applied")


def _is_laxer(old: CheckLimits | None, new: CheckLimits | None) -> bool:
    was, now = old or CheckLimits(), new or CheckLimits()
    return now.tolerated > was.tolerated or now.required < was.required


def _deletion(versions: Versions, old: Topic, new: Topic) -> Verdict:  # noqa: ARG001
    if new.deletion == "protected":
        return safe("removing it from the file no longer deletes it")
    if new.deletion == "force":
        return care("removing it from the file deletes it, even if it is in use and holds records")
    return care("a later change can delete it by removing it from the file")


def _ignore(versions: Versions, old: Topic, new: Topic) -> Verdict:  # noqa: ARG001
    silenced = tuple(f"{rule} ({why})" for rule, why in new.ignore.items() if rule not in old.ignore)
    if silenced:
        return care(f"suppresses {named(silenced)}")
    return safe("a rule reports again, or the reason for its suppression changes")


def _always(verdict: Verdict) -> Callable[[Versions, Topic, Topic], Verdict]:
    return lambda versions, old, new: verdict  # noqa: ARG005


_BY_FIELD: dict[str, Callable[[Versions, Topic, Topic], Verdict]] = {
    "partitions": partitions,
    "replication": replication,
    "description": _always(safe("documentation only")),
    "owner": _owner,
    "visibility": _visibility,
    "sharedWith": _shared_with,
    "ordering": _ordering,
    "throughput": _always(safe("it describes the load; rules use it, and nothing is applied")),
    "value.format": value_format,
    "value.schema": value_schema,
    "value": _always(safe("it describes the records; checks use it, and nothing is applied")),
    "compatibility": compatibility,
    "headers": _headers,
    "checks": _checks,
    "copartitionedWith": _always(safe("rules compare the topics; nothing is applied")),
    "deletion": _deletion,
    "ignore": _ignore,
}
