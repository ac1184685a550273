"""Changes of a topic's key, partitioner, value and their schemas."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from kafka_topology.topology.kafka.partitioners import HASH_PARTITIONERS, family
from kafka_topology.topology.model.declared import Key, Topic
from kafka_topology.topology.model.schema_files import referred, whole_schema
from kafka_topology.validators.facts.compatibility import Part, SchemaChange, schema_change, written_as
from kafka_topology.validators.facts.keys import keeps_bytes, type_shown

from ...changes import Effect, Verdict, breaking, care, safe
from ...fields import Path
from ...versions import Versions


def key(versions: Versions, old: Topic, new: Topic, path: Path) -> Verdict:
    field = path[-1] if len(path) > 1 else ""
    if old.key is None:
        return safe("the key is now declared, so live records can be checked against it")
    if new.key is None:
        return care("the key is no longer declared, so nothing checks it")
    if field in ("distinct", "history"):
        return safe("it describes existing records; nothing is applied")
    if field == "nulls":
        return _nulls(old.key, new.key)
    if "partitioner" in path:
        return _partitioner(old.key, new.key, new)
    if field == "schema":
        return _schema_of(versions, old, new, "key")
    if field == "field" and old.key.field is None:
        return safe("live records can be checked against it")
    if field == "field" and new.key.field is None:
        return care("nothing checks any more that the key equals the field")
    if field == "type" and keeps_bytes(old.key, new.key):
        return _same_bytes(old.key, new.key)
    return breaking(
        "new records have other keys than existing ones: order per key, compaction and joins break",
        Effect("keys", f"every key of {new.name} changes{_moving(new)}"),
    )


def _same_bytes(old: Key, new: Key) -> Verdict:
    if new.type in ("string", "bytes"):
        return care(f"keys keep their bytes and partitions; readers may get keys that are no {type_shown(old)}")
    return care(f"keys keep their bytes and partitions; existing keys may be no {type_shown(new)}")


def _moving(topic: Topic) -> str:
    """How many keys move if each gets other bytes."""
    assert topic.key is not None  # noqa: S101 - asked before
    is_hashed = topic.key.partitioner.name in HASH_PARTITIONERS
    if not is_hashed or topic.partitions == 1:
        return ""
    return f"; about {1 - 1 / topic.partitions:.0%} of them go to another partition than their existing records"


_NULLS = {
    "forbidden": frozenset[str](),
    "tombstones": frozenset({"tombstones (null values)"}),
    "allowed": frozenset({"tombstones (null values)", "null keys"}),
}


def _nulls(old: Key, new: Key) -> Verdict:
    was, now = _NULLS[old.nulls], _NULLS[new.nulls]
    if now < was:
        return care(f"producers that still send {' or '.join(sorted(was - now))} violate the declaration")
    return care(f"readers may get {' or '.join(sorted(now - was))}, which they did not get before")


def _partitioner(old: Key, new: Key, topic: Topic) -> Verdict:
    was, now = family(old.partitioner.name), family(new.partitioner.name)
    if was == now and was != "application":
        return care("keys stay in their partitions; null and empty keys may move")
    share = 1 - 1 / topic.partitions
    text = f"about {share:.0%} of the keys of {topic.name} move to another partition than their existing records"
    return breaking("records of one key end up in two partitions, without order between them", Effect("keys", text))


def value_format(versions: Versions, old: Topic, new: Topic) -> Verdict:  # noqa: ARG001 - as every judge
    if old.value is None:
        return safe("the value is now declared, so live records can be checked against it")
    if new.value is None:
        return care("the value is no longer declared, so nothing checks it")
    return breaking("readers that expect the old format fail on new records, and the other way round")


def value_schema(versions: Versions, old: Topic, new: Topic) -> Verdict:
    return _schema_of(versions, old, new, "value")


def _schema_of(versions: Versions, old: Topic, new: Topic, part: Part) -> Verdict:
    before, after = (getattr(getattr(topic, part), "schema", None) for topic in (old, new))
    if before is None:
        return safe("live records can be checked against it")
    if after is None:
        return care("the schema is no longer declared, so nothing checks it")
    return schema_edit(versions, old, new, part)


def schema_edit(versions: Versions, old: Topic, new: Topic, part: Part) -> Verdict:
    """A schema with another content, or another file, or made of a file with another content."""
    before, after = (getattr(topic, part).schema for topic in (old, new))
    was, now = (
        whole_schema(name, each.topology.schemas) for name, each in ((before, versions.old), (after, versions.new))
    )
    if not was or not now:
        return _unchecked(care("the schemas could not be compared"), new, part, ("it is too large to compare",))
    if written_as(getattr(old, part)) != written_as(getattr(new, part)):
        return care("the schema of another format; existing records stay in the old one")
    parts = tuple(
        f"{name}, which it refers to and which changed"
        for name in sorted({*was, *now} - {before, after})
        if was.get(name) != now.get(name)
    )
    parts += tuple(f"{name}, which it refers to and which was not read" for name in _unread(now))
    found = schema_change(versions.compared, old, new, part)
    if found is None and not parts:
        return safe("the same schema in another file")
    judged = _judged(found or SchemaChange(_promise(old, new)), parts)
    unjudged = (*(found.unjudged if found is not None else ()), *parts)
    if _promise(old, new) == "none":
        return judged
    histories = (_NO_HISTORY,) if found is not None and found.unread_history else ()
    return _unchecked(judged, new, part, (*unjudged, *histories))


def _unread(whole: Mapping[str, str]) -> tuple[str, ...]:
    """Files that a schema refers to and that nobody could read. Protocol Buffers come with files of their own."""
    others = {other for name, text in whole.items() for other in referred(name, text)}
    return tuple(sorted(other for other in others if other not in whole and _PROVIDED not in f"/{other}"))


_PROVIDED = "/google/protobuf/"
_NO_HISTORY = (
    "its earlier versions are not known; run `kafka-topology review` in a clone with the whole history (fetch-depth: 0)"
)


def _unchecked(verdict: Verdict, topic: Topic, part: Part, reasons: tuple[str, ...]) -> Verdict:
    promise = f"compatibility {topic.compatibility} of " if topic.compatibility is not None else ""
    return replace(verdict, unchecked=tuple(f"{topic.name}: {promise}the {part}'s schema: {each}" for each in reasons))


def _judged(found: SchemaChange, parts: tuple[str, ...]) -> Verdict:
    unjudged = (*found.unjudged, *parts)
    effects = [Effect("stall", reason) for reason in (*found.broken, *found.tolerated, *found.notes)]
    effects += [Effect("stall", f"could not compare {reason}") for reason in unjudged]
    if found.broken:
        promised = f"it breaks the declared compatibility {found.promise}"
        return breaking(promised if found.promise is not None else "existing records do not fit", *effects)
    if unjudged or found.unread_history:
        return care("the schemas could not be compared completely; review it manually", *effects)
    if found.promise == "none" and found.tolerated:
        return care("the topic promises no compatibility; move readers and writers at the same time", *effects)
    if found.is_only_open:
        return care("the schema allows fields that it does not describe; check what records hold in them", *effects)
    if found.tolerated:
        return care(f"upgrade the {'writers' if found.tolerates_records else 'readers'} first", *effects)
    if found.notes:
        return care("records can still be read, but may mean something else; ask who reads them", *effects)
    return safe("existing records still fit, and readers with the old schema can read new ones")


def _promise(old: Topic, new: Topic) -> str | None:
    return new.compatibility if old.compatibility is None else old.compatibility


_LEVELS = {"none": (), "backward": ("backward",), "forward": ("forward",), "full": ("backward", "forward")}


def compatibility(versions: Versions, old: Topic, new: Topic) -> Verdict:  # noqa: ARG001 - as every judge
    was, now = _promised(old), _promised(new)
    if was < now or (was == now and old.compatibility is None):
        return safe("a stronger promise; changes of the schemas are held to it")
    before, after = (topic.compatibility or "the default, backward" for topic in (old, new))
    held = "nothing" if after == "none" else after
    return care(f"a weaker promise: later changes of the schemas are held to {held}, no longer to {before}")


def _promised(topic: Topic) -> frozenset[str]:
    level, _, transitive = (topic.compatibility or "backward").partition("-")
    return frozenset((*_LEVELS[level], *((f"{each}, transitively" for each in _LEVELS[level]) if transitive else ())))
