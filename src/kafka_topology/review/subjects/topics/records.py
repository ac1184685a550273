"""Changes of a topic's key, partitioner, value and their schemas."""

from __future__ import annotations

from kafka_topology.topology.kafka.partitioners import family
from kafka_topology.topology.model.declared import Key, Topic
from kafka_topology.validators.facts.schemas import why_old_records_do_not_fit

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
        return _nulls(new)
    if "partitioner" in path:
        return _partitioner(old.key, new.key, new)
    if field == "schema":
        return _schema_of(versions, old.key.type, old.key.schema, new.key.schema)
    if field == "field" and old.key.field is None:
        return safe("live records can be checked against it")
    return breaking(
        "new records have other keys than existing ones: order per key, compaction and joins break",
        Effect("keys", f"every key of {new.name} changes, so it goes to another partition than before"),
    )


def _nulls(new: Topic) -> Verdict:
    assert new.key is not None  # noqa: S101 - asked before
    if new.key.nulls == "forbidden":
        return care("producers that still send null keys violate the declaration")
    return care("readers may get null keys or tombstones, which they did not get before")


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
    before, after = old.value.schema if old.value else None, new.value.schema if new.value else None
    return _schema_of(versions, new.value.format if new.value else "", before, after)


def _schema_of(versions: Versions, written_as: str, before: str | None, after: str | None) -> Verdict:
    if before is None:
        return safe("live records can be checked against it")
    if after is None:
        return care("the schema is no longer declared, so nothing checks it")
    was, now = versions.old.topology.schemas.get(before), versions.new.topology.schemas.get(after)
    if was is None or now is None:
        return care("the schemas could not be compared")
    return schema_edit(written_as, was, now)


def schema_edit(written_as: str, was: str, now: str) -> Verdict:
    reason = why_old_records_do_not_fit(written_as, was, now)
    if reason is not None:
        return breaking(f"existing records do not fit: {reason}")
    return safe("existing records still fit, as far as the files show")
