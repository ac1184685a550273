"""A declared topic as it is on the cluster, with what its checks need to know of the rest of the topology."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import Final

from kafka_topology.topology.kafka.effective import EffectiveSettings
from kafka_topology.topology.model.declared import Key, Topic, Topology, Value

from ..conditions.schemas import Schema, UnusableSchema
from ..conditions.tables import has_expression

_UNLIMITED_MS: Final = 1 << 62  # Kafka's way to say "no limit" is the largest long


@dataclass(frozen=True, slots=True)
class Subject:
    """A declared topic as it is on the cluster: records follow the live partition count, not the declared one.

    `settings` are the topic's settings in force. `exactly_once`: every writer of the topic promises it. `unseen` says
    which part of the records is not read, if any: checks that depend on earlier records, or on all of them, are then
    bounded. `schemas` are by the path that the topology names. `refused` says by check why Spark cannot do it.
    With `any_expression`, Spark runs an expression whatever it does.
    """

    topic: Topic
    partitions: int
    settings: Mapping[str, str] = field(default_factory=dict)
    exactly_once: bool = False
    now_ms: int = 0
    unseen: str | None = None
    schemas: Mapping[str, Schema] = field(default_factory=dict)
    refused: Mapping[str, str] = field(default_factory=dict)
    any_expression: bool = False

    @property
    def key(self) -> Key | None:
        return self.topic.key

    @property
    def is_keyed(self) -> bool:
        return self.key is not None and self.key.type != "none"

    @property
    def has_expression(self) -> bool:
        return self.key is not None and has_expression(self.key, any_expression=self.any_expression)

    def schema_of(self, part: Key | Value | None) -> Schema | None:
        """The schema that a key or a value declares. Only JSON and Avro have one."""
        if part is None or part.schema is None:
            return None
        return self.schemas.get(part.schema) or UnusableSchema(f"schema {part.schema} could not be read")

    def used_schemas(self) -> Mapping[str, Schema]:
        """Those of this topic's key and value, by path."""
        paths = (part.schema for part in (self.topic.key, self.topic.value) if part is not None and part.schema)
        return {path: self.schemas[path] for path in paths if path in self.schemas}

    def limit_ms(self, setting: str) -> int | None:
        """A setting in milliseconds; None when it is not set, or unlimited."""
        limit = self.settings.get(setting, "")
        return int(limit) if limit.isdigit() and int(limit) < _UNLIMITED_MS else None


def subject_of(
    topology: Topology,
    topic: Topic,
    *,
    partitions: int,
    now_ms: int,
    settings: Collection[str] = (),
    unseen: str | None = None,
    schemas: Mapping[str, Schema] | None = None,
    any_expression: bool = False,
) -> Subject:
    """`settings` names those of the topic's settings that the checks read."""
    effective = EffectiveSettings(topology)
    found = {name: effective.topic(topic, name) for name in settings}
    return Subject(
        topic,
        partitions,
        settings={name: setting.value for name, setting in found.items() if setting is not None},
        exactly_once=_is_exactly_once(topology, topic),
        now_ms=now_ms,
        unseen=unseen,
        schemas=schemas or {},
        any_expression=any_expression,
    )


def _is_exactly_once(topology: Topology, topic: Topic) -> bool:
    writers = [producer.delivery for producer in topology.producers_of(topic.name)]
    writers += [each.delivery for each in topology.streams.values() if topic.name in each.writes]
    return bool(writers) and all(delivery == "exactly-once" for delivery in writers)
