"""Writes sample records with faults at known places, for the demo and the tests."""

from __future__ import annotations

import json
import random
import struct
import uuid
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Literal

from confluent_kafka import KafkaError, KafkaException, Message, Producer

from .topology.kafka.partitioners import HASH_PARTITIONERS
from .topology.model.declared import Key, Topic
from .topology.model.field_paths import field_path

FaultKind = Literal["misplaced", "null-key", "empty-key", "tombstone", "bad-key", "wrong-field"]

DEMO_FAULTS: Mapping[FaultKind, int] = {"misplaced": 5, "null-key": 2, "bad-key": 3}
_DELIVERY_TIMEOUT_S = 60.0


@dataclass(frozen=True, slots=True, order=True)
class Planted:
    """A fault and its partition and offset."""

    kind: FaultKind
    partition: int
    offset: int


@dataclass(frozen=True, slots=True)
class _Record:
    key: bytes | None
    value: bytes | None
    partition: int | None = None  # None: the partitioner decides
    fault: FaultKind | None = None


def produce_sample(
    bootstrap_servers: str,
    topic: Topic,
    records: int = 10_000,
    faults: Mapping[FaultKind, int] | None = None,
    *,
    schema: str | None = None,
    client_config: Mapping[str, str] | None = None,
    seed: int = 1,
) -> list[Planted]:
    """Write `records` good records with the faults between them. Returns where each fault is.

    `topic` must match the cluster, because its partition count decides placement. `schema` is the text of the values'
    JSON Schema. The same seed gives the same keys.
    """
    writer = _Writer(topic, random.Random(seed), json.loads(schema or "{}"))  # noqa: S311 - sample data, not a secret
    wanted = DEMO_FAULTS if faults is None else faults
    stream = [writer.good() for _ in range(records)]
    for kind, count in wanted.items():
        for _ in range(count):
            stream.insert(writer.chance.randrange(len(stream) + 1), writer.faulty(kind))
    settings = {
        **(client_config or {}),
        "bootstrap.servers": bootstrap_servers,
        "partitioner": writer.librdkafka_partitioner,
        "linger.ms": "20",
        "enable.idempotence": "true",
        "log_level": "3",  # errors: librdkafka warns on stderr while it waits for a fresh cluster
    }
    headers = [(name, b"sample") for name in (topic.headers.required if topic.headers else ())]
    return _produce(settings, topic.name, stream, headers)


class _Writer:
    """Makes keys and values as declared, and can break one property at a time."""

    def __init__(self, topic: Topic, chance: random.Random, schema: Mapping[str, Any]) -> None:
        if topic.key is None:
            raise ValueError(f"topic {topic.name} declares no key, so it has no key faults to plant")
        self._topic = topic
        self._key: Key = topic.key
        self._schema = schema
        self.chance = chance

    @property
    def librdkafka_partitioner(self) -> str:
        """librdkafka's partitioner of that name, or one that places every non-empty key the same."""
        name = self._key.partitioner.name
        wanted = HASH_PARTITIONERS.get(name)
        if wanted is not None:
            alike = (each for each in HASH_PARTITIONERS.values() if each.family == wanted.family)
            names = (wanted.librdkafka, *(each.librdkafka for each in alike if not each.null_as_empty))
            found = next(filter(None, names), None)
            if found is not None:
                return found
        raise ValueError(f"no sample records for partitioner {name} of topic {self._topic.name}")

    def good(self) -> _Record:
        key = self._any_key()
        return _Record(key, self._value(key))

    def faulty(self, kind: FaultKind) -> _Record:
        key = self._any_key()
        match kind:
            case "misplaced":
                return _Record(key, self._value(key), self._wrong_partition(key), kind)
            case "null-key":
                return _Record(None, self._value(key), None, kind)
            case "empty-key":
                return _Record(b"", self._value(b""), None, kind)
            case "tombstone":
                return _Record(key, None, None, kind)
            case "bad-key":
                bad = f"order-{self.chance.randrange(10_000)}".encode()
                return _Record(bad, self._value(bad), None, kind)
            case "wrong-field":
                return _Record(key, self._value(self._any_key()), None, kind)

    def _any_key(self) -> bytes:
        match self._key.type:
            case "uuid":
                return str(uuid.UUID(int=self.chance.getrandbits(128), version=4)).encode()
            case "string":
                return f"key-{self.chance.randrange(1_000_000)}".encode()
            case "int":
                return struct.pack(">i", self.chance.randrange(-(2**31), 2**31))
            case "long":
                return struct.pack(">q", self.chance.randrange(-(2**63), 2**63))
        raise ValueError(f"no sample records for keys of type {self._key.type} of topic {self._topic.name}")

    def _value(self, key: bytes) -> bytes:
        properties = self._schema.get("properties", {})
        value: dict[str, Any] = {name: self._field(properties[name]) for name in self._schema.get("required", ())}
        value = value or {"amount": self.chance.randrange(100_000), "currency": "EUR"}
        if self._key.field is not None:
            *parents, name = field_path(self._key.field)
            inner = value
            for parent in parents:
                inner = inner.setdefault(parent, {})
            inner[name] = self._shown(key)
        return json.dumps(value).encode()

    def _field(self, schema: Mapping[str, Any]) -> object:
        """A value that this schema of one field accepts, for the few kinds that our own schemas use."""
        if "enum" in schema:
            return self.chance.choice(schema["enum"])
        match schema.get("type"), schema.get("format"):
            case "integer" | "number", _:
                return schema.get("minimum", 0)
            case "string", "date-time":
                return datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
            case "string", _:
                return "sample"
        raise ValueError(f"no sample values for the schema {json.dumps(schema)} of topic {self._topic.name}")

    def _shown(self, key: bytes) -> int | str:
        """The key as a field of the value."""
        if len(key) == {"int": 4, "long": 8}.get(self._key.type):
            return int.from_bytes(key, "big", signed=True)
        return key.decode(errors="replace")

    def _wrong_partition(self, key: bytes) -> int:
        partitions = self._topic.partitions
        if partitions < 2:
            raise ValueError(f"topic {self._topic.name} has one partition: nothing can be misplaced")
        right = HASH_PARTITIONERS[self._key.partitioner.name].partition(key, partitions)
        assert isinstance(right, int)  # noqa: S101 - a key that is neither null nor empty has its place
        return (right + self.chance.randrange(1, partitions)) % partitions


def _produce(
    settings: Mapping[str, str], topic: str, stream: list[_Record], headers: list[tuple[str, bytes]]
) -> list[Planted]:
    planted: list[Planted] = []
    failed: list[KafkaError] = []
    producer = Producer(dict(settings))

    def delivered(record: _Record, error: KafkaError | None, message: Message) -> None:
        if error is not None:
            failed.append(error)
        elif record.fault is not None:
            partition, offset = message.partition(), message.offset()
            assert partition is not None and offset is not None  # noqa: S101, PT018 - delivered
            planted.append(Planted(record.fault, partition, offset))

    for record in stream:
        arguments: dict[str, Any] = {"key": record.key, "value": record.value, "headers": headers}
        if record.partition is not None:
            arguments["partition"] = record.partition
        arguments["on_delivery"] = lambda error, message, record=record: delivered(record, error, message)
        while True:
            try:
                producer.produce(topic, **arguments)
                break
            except BufferError:
                producer.poll(0.1)
        producer.poll(0)
    left = producer.flush(_DELIVERY_TIMEOUT_S)
    if failed:
        raise KafkaException(failed[0])
    if left:
        raise TimeoutError(f"{left} records for topic {topic} were not delivered in {_DELIVERY_TIMEOUT_S:g} s")
    return sorted(planted)
