"""Added, removed and changed producers, groups and streams applications, and what their clients must set."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final, Literal

from kafka_topology.topology.model.words import agreeing, counted, named

from ...topology.kafka.clients.formats import in_library
from ...topology.kafka.clients.libraries import library_of
from ...topology.kafka.clients.model import Client, Property
from ...topology.kafka.clients.settings import client_settings
from ...topology.kafka.partitioners import family
from ...topology.model.declared import ConsumerGroup, Delivery, Producer, StreamsApplication
from ..causes import Cause
from ..changes import Action, Change, Effect, Verdict, breaking, care, destructive, safe, unclassified
from ..fields import Path, changed_fields, dotted, shown
from ..judging import other_type, principal_change
from ..masking import masked
from ..subject import Subject
from ..versions import Version, Versions
from ..weaker import weaker_setting

Role = Producer | ConsumerGroup | StreamsApplication
RoleKind = Literal["producer", "group", "streams"]
_DELIVERIES: tuple[Delivery, ...] = ("at-most-once", "at-least-once", "exactly-once")
_LEADING = ("delivery", "library", "transactionalId", "partitioner", "topics", "reads", "writes", "members")
_LED_BY = {"auto.offset.reset": "start", "group.instance.id": "instances", "max.poll.interval.ms": "maxProcessingTime"}
_CLIENT_KINDS = {"producer": "producer", "consumer": "group", "streams": "streams"}


@dataclass(frozen=True, slots=True)
class _Section:
    kind: RoleKind
    name: str

    def roles(self, version: Version) -> Mapping[str, Role]:
        topology = version.topology
        if self.kind == "producer":
            return topology.producers
        return topology.consumer_groups if self.kind == "group" else topology.streams


_SECTIONS = (_Section("producer", "producers"), _Section("group", "consumerGroups"), _Section("streams", "streams"))


def role_changes(versions: Versions) -> Iterator[Change]:
    settings = {(change.kind, change.name, change.path): change for change in _client_changes(versions)}
    for section in _SECTIONS:
        before, after = section.roles(versions.old), section.roles(versions.new)
        for name, role in after.items():
            if name not in before:
                yield _added(versions, section, role, name)
            elif role != before[name]:
                own = list(_changed(versions, section, before[name], role, name))
                for change in own:
                    yield _as_setting(change, settings.pop((change.kind, change.name, change.path), None))
                follow = [key for key in settings if key[:2] == (section.kind, name)]
                yield from (_following(settings.pop(key), own) for key in follow)
        for name, role in before.items():
            if name not in after:
                yield _removed(versions, section, role, name)
    yield from settings.values()


def _as_setting(own: Change, setting: Change | None) -> Change:
    """The client's setting is the same change, with a better reason unless the change has more risk."""
    if setting is None:
        return own
    return setting if own.risk.rank <= setting.risk.rank else replace(own, effects=(*own.effects, *setting.effects))


def _following(setting: Change, own: Sequence[Change]) -> Change:
    """A setting that the application needs because of what it declares now."""
    alone = _LED_BY.get(setting.path.removeprefix("config."))
    paths = (*([alone] if alone is not None else ()), *_LEADING)
    leading = next((change for path in paths for change in own if change.path == path), None)
    if leading is None:
        return setting
    cause = Cause("role", f"{leading.title} {leading.path}", leading.location)
    return replace(setting, cause=cause, location=leading.location)


def _whole(section: _Section, role: Role, name: str, action: Action, verdict: Verdict) -> Change:
    gone = action == "remove"
    return Change(
        kind=section.kind,
        name=name,
        action=action,
        team=role.owner,
        location=None if gone else role.location,
        was_at=role.location if gone else None,
        risk=verdict.risk,
        reason=verdict.reason,
        effects=verdict.effects,
    )


def _added(versions: Versions, section: _Section, role: Role, name: str) -> Change:
    if not isinstance(role, Producer) and name in versions.old.topology.share_groups:
        verdict = other_type(name, "a share group")
    elif isinstance(role, Producer):
        verdict = safe(f"a new producer for {named(role.topics)}")
    elif isinstance(role, StreamsApplication):
        verdict = safe(f"a new application that reads {named(role.reads)}; it creates its own internal topics")
    else:
        topics = named((*role.topics, *role.assign))
        where = {"earliest": "; it starts at the oldest record", "latest": "; it skips existing records"}
        starts = where.get(role.start, "") if isinstance(role.start, str) else ""
        verdict = safe(f"a new reader of {topics}{starts}")
    return _whole(section, role, name, "add", verdict)


def _removed(versions: Versions, section: _Section, role: Role, name: str) -> Change:
    if isinstance(role, Producer):
        verdict = care(f"{name} may no longer write {named(role.topics)}")
        return _whole(section, role, name, "remove", verdict)
    effects = [Effect("data", f"the offsets of group {name} are deleted; if it returns, it starts over")]
    if isinstance(role, StreamsApplication):
        effects.append(Effect("data", f"its internal topics, {name}-…, remain until somebody deletes them"))
    live = versions.live.groups.get(name) if versions.live is not None else None
    if live is not None and live.is_reading:
        verb = agreeing(live.members, "is", "are")
        effects.append(Effect("live", f"{counted(live.members, 'member')} of {name} {verb} reading now"))
    reason = "its position is lost: if it returns, it skips records or processes all of them again"
    if isinstance(role, ConsumerGroup) and role.deletion == "protected":
        reason += "; protected: `pulumi up` refuses until `deletion: allowed` is applied"
    return _whole(section, role, name, "remove", destructive(reason, *effects))


def _changed(versions: Versions, section: _Section, old: Role, new: Role, name: str) -> Iterator[Change]:
    for path, before, after in changed_fields(section.name, old, new):
        verdict = _judged(versions, old, new, path)
        yield Change(
            kind=section.kind,
            name=name,
            action="change",
            path=dotted(path),
            before=shown(before, path[-1]),
            after=shown(after, path[-1]),
            team=new.owner,
            location=(new.place(*path) if after is not None else new.place()).location,
            was_at=old.location,
            risk=verdict.risk,
            reason=verdict.reason,
            effects=verdict.effects,
        )


def _judged(versions: Versions, old: Role, new: Role, path: Path) -> Verdict:
    field = path[0]
    if field in ("topics", "reads", "writes"):
        return _topics(old, new, field)
    if field == "delivery":
        return _delivery(old, new)
    if field == "config":
        return _config(versions, old, new, path[-1])
    if field == "principal":
        return principal_change(old.principals, new.principals)
    if field == "library":
        return _library(old, new)
    if field == "owner":
        return care(f"reviews and alerts move from {old.owner or 'nobody'} to {new.owner or 'nobody'}")
    if field == "ignore":
        return care("a rule is suppressed, or reports again")
    if isinstance(new, ConsumerGroup) and isinstance(old, ConsumerGroup):
        return _group(versions, old, new, field)
    if isinstance(new, StreamsApplication):
        return _streams(field)
    return _producer(old, field)


def _config(versions: Versions, old: Role, new: Role, name: str) -> Verdict:
    weaker = weaker_setting(versions, old, new, name)
    return weaker or care("start the application with it; nothing applies it for you")


def _streams(field: str) -> Verdict:
    if field in ("instances", "threads"):
        return care("start or stop instances; partitions and state move between them")
    if field == "internalTopics":
        return care("nothing changes existing internal topics; the application creates missing ones when it starts")
    if field in ("maxLag", "maxOutage"):
        return safe("rules and audits use it; nothing is applied")
    return unclassified()


def _library(old: Role, new: Role) -> Verdict:
    was, now = library_of(old), library_of(new)
    moves = was is not None and now is not None and family(was.partitioner) != family(now.partitioner)
    if isinstance(new, Producer) and new.partitioner is None and was is not None and now is not None and moves:
        return breaking(
            f"{now.title} places keys with {now.partitioner} by default, {was.title} with {was.partitioner}",
            Effect("keys", "keys of its topics move, unless the application sets the partitioner"),
        )
    return care("another client with its own names and defaults; compare what `clients` prints")


def _producer(old: Role, field: str) -> Verdict:
    if field == "partitioner":
        return breaking(
            "keys go to other partitions than their existing records",
            Effect("keys", "most keys of its topics move, unless both partitioners use the same hash"),
        )
    if field == "transactionalId" and isinstance(old, Producer) and old.transactional_id is None:
        return care("start each instance with its own id that begins with this")
    if field == "transactionalId":
        return care("open transactions of the old id block readers until they time out")
    return unclassified()


def _topics(old: Role, new: Role, field: str) -> Verdict:
    was: tuple[str, ...] = getattr(old, field)
    now: tuple[str, ...] = getattr(new, field)
    more = tuple(topic for topic in now if topic not in was)
    less = tuple(topic for topic in was if topic not in now)
    if isinstance(new, StreamsApplication):
        return care("its processing changes; internal topics and state may not fit and need a reset")
    if not less:
        return safe(f"it also {'writes' if isinstance(new, Producer) else 'reads'} {named(more)}")
    if isinstance(new, Producer):
        return care(f"it no longer writes {named(less)}")
    text = f"its offsets of {named(less)} expire; if it reads it again later, it starts over"
    return care(f"it no longer reads {named(less)}", Effect("data", text))


def _delivery(old: Role, new: Role) -> Verdict:
    if _DELIVERIES.index(new.delivery) < _DELIVERIES.index(old.delivery):
        lost = "records may be lost" if new.delivery == "at-most-once" else "records may arrive twice"
        return breaking(f"a weaker promise than {old.delivery}: {lost}")
    return care("a stronger promise; it holds after its clients run with the needed settings")


def _group(versions: Versions, old: ConsumerGroup, new: ConsumerGroup, field: str) -> Verdict:
    if field == "members":
        return _members(versions, new)
    if field == "start":
        return safe("only a group without offsets starts there; committed offsets stay")
    if field == "reset":
        return _reset(old, new)
    if field == "groupConfig":
        return care("all members of the group get it from the broker as soon as it is applied")
    if field in ("maxLag", "maxOutage", "maxProcessingTime"):
        return safe("rules and audits use it; nothing is applied")
    if field == "assign":
        return _assign(versions, old)
    if field == "instances":
        return care("restart the instances with their new ids; each change of members moves partitions")
    if field == "deletion":
        return (
            safe("the group is protected")
            if new.deletion == "protected"
            else care("a later change can delete its offsets")
        )
    return unclassified()


def _reset(old: ConsumerGroup, new: ConsumerGroup) -> Verdict:
    if new.reset is None:
        return safe("the offsets stay where they are")
    if old.reset is not None and old.reset.ticket == new.reset.ticket:
        return safe("no offset moves until the ticket changes, too")
    if new.reset.to == "earliest":
        return breaking(f"{new.name} processes all records in its topics again; refused while it has members")
    if new.reset.to == "latest":
        return destructive(f"{new.name} skips all records that it has not read yet; refused while it has members")
    return destructive(
        f"{new.name} continues at another time: it skips unread records before that, or processes records again; "
        "refused while it has members"
    )


def _members(versions: Versions, new: ConsumerGroup) -> Verdict:
    topics = versions.new.topology.topics
    most = max((topics[name].partitions for name in new.topics if name in topics), default=None)
    if new.members is not None and most is not None and new.members > most:
        idle = new.members - most
        members = counted(new.members, "member")
        text = (
            f"{idle} of the {members} of group {new.name} are idle: none of its topics has more than {most} partitions"
        )
        return care("members beyond the number of partitions have nothing to read", Effect("stall", text))
    return safe("the group rebalances once")


def _assign(versions: Versions, old: ConsumerGroup) -> Verdict:
    unread = []
    for topic, numbers in old.assign.items():
        others = [g.assign.get(topic, ()) for g in versions.new.topology.consumer_groups.values() if g.assign]
        lost = sorted(set(numbers).difference(*others))
        if lost and topic in versions.new.topology.topics:
            unread.append(Effect("stall", f"nobody is assigned {topic} {named(tuple(map(str, lost)))} any more"))
    if unread:
        return breaking("records in these partitions stay unread until they expire", *unread)
    return care("restart all its members together, or partitions are read twice or not at all")


def _client_changes(versions: Versions) -> Iterator[Change]:
    """Settings that an existing application must now run with."""
    before = {(client.kind, client.name): client for client in client_settings(versions.old.topology)}
    for client in client_settings(versions.new.topology):
        earlier = before.get((client.kind, client.name))
        if earlier is not None and earlier != client and client.kind in _CLIENT_KINDS:
            yield from _client(versions, earlier, client)


def _client(versions: Versions, earlier: Client, client: Client) -> Iterator[Change]:
    section = next(each for each in _SECTIONS if each.kind == _CLIENT_KINDS[client.kind])
    role = section.roles(versions.new)[client.name]
    old = {each.name: each for each in _by_library(earlier)}
    new = {each.name: each for each in _by_library(client)}
    for name in sorted({*old, *new}):
        before, after = (had[name].value if name in had else None for had in (old, new))
        if before == after:
            continue
        said = shown(after, name)
        does = f"set {name}={masked(after, name)}" if after is not None else f"no longer set {name}"
        text = f"{client.title} must {does}"
        path: tuple[Any, ...] = ("config", name)
        yield Change(
            kind=section.kind,
            name=client.name,
            action="change",
            path=dotted(path),
            before=shown(before, name),
            after=said,
            team=role.owner,
            location=(role.place(*path) if name in role.config else role.place()).location,
            was_at=section.roles(versions.old)[client.name].location,
            risk=care("").risk,
            reason=_setting_reason(new[name]) if name in new else "no declaration needs it any more",
            effects=(Effect("client", text),),
        )


def _by_library(client: Client) -> Sequence[Property]:
    """The settings by the names that the application uses."""
    library = client.library
    return client.properties if library is None or library.has_java_names else in_library(client, library)[0]


def _setting_reason(setting: Property) -> str:
    return setting.reason if setting.is_needed else "start the application with it; nothing applies it for you"


SUBJECT: Final = Subject(
    order=20,
    kinds=("producer", "group", "streams"),
    sections=("producers", "consumer_groups", "streams"),
    changes=role_changes,
)
