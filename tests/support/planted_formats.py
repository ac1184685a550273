"""A topic for each way to declare keys, values and headers, with faults of every kind, as files and records."""

from __future__ import annotations

import json
import struct
from collections.abc import Iterator, Mapping
from pathlib import Path

from confluent_kafka.admin import AdminClient, NewTopic
from delivering import SureProducer
from planted import Record

from kafka_topology.topology.kafka.partitioners import HASH_PARTITIONERS

PARTITIONS = 3
TOPOLOGY = """\
version: 1
cluster: {name: test, brokers: 1}
patterns: {ticket: "TT[0-9]{4}"}
profiles:
  any: {replication: 1, partitions: 3}
topics:
  NAME.avro:
    profile: any
    key: {type: avro, schema: schemas/key.avsc, field: id}
    value: {format: avro, schema: schemas/order.avsc, sequence: n}
    ordering: per-key
  NAME.json:
    profile: any
    key: {type: json, schema: schemas/key.schema.json, field: id}
    value: {format: json, schema: schemas/order.schema.json, sequence: n}
    ordering: per-key
  NAME.pattern: {profile: any, key: {type: ticket, nulls: forbidden}, value: {format: string}}
  NAME.headers: {profile: any, headers: {required: [trace-id, tenant], maxBytes: 40B}, key: {type: string}}
  NAME.range:
    profile: any
    key:
      type: string
      nulls: allowed
      partitioner: {range: [{to: g, partition: 0}, {from: g, to: n, partition: 1}, {from: n, to: t, partition: 2}]}
  NAME.expression:
    profile: any
    key: {type: string, partitioner: {expression: "crc32(key) % partitions"}}
"""
SCHEMAS = {
    "key.avsc": {"type": "record", "name": "Key", "fields": [{"name": "id", "type": "string"}]},
    "order.avsc": {
        "type": "record",
        "name": "Order",
        "fields": [{"name": "id", "type": "string"}, {"name": "n", "type": "long"}],
    },
    "key.schema.json": {"type": "object", "required": ["id"], "properties": {"id": {"type": "string"}}},
    "order.schema.json": {"type": "object", "required": ["id", "n"], "properties": {"n": {"type": "integer"}}},
}


def write_files(folder: Path, name: str) -> Path:
    """The topology and its schemas."""
    (folder / "schemas").mkdir(parents=True)
    for file, schema in SCHEMAS.items():
        (folder / "schemas" / file).write_text(json.dumps(schema))
    path = folder / "topology.yaml"
    path.write_text(TOPOLOGY.replace("NAME", name))
    return path


def write_records(bootstrap: str, name: str) -> None:
    """Creates the topics and fills them."""
    topics = dict(_records())
    admin = AdminClient({"bootstrap.servers": bootstrap})
    config = {"retention.ms": "-1"}
    new = [NewTopic(f"{name}.{topic}", PARTITIONS, 1, config=config) for topic in topics]
    for created in admin.create_topics(new).values():
        created.result(60)
    producer = SureProducer({"bootstrap.servers": bootstrap})
    for topic, records in topics.items():
        for each in records:
            producer.produce(f"{name}.{topic}", each.value, each.key, each.partition, headers=list(each.headers))
    producer.flush(60)


def _records() -> Iterator[tuple[str, list[Record]]]:
    names = [f"o-{number}" for number in range(40)]
    avro = [_placed(_avro_key(each), _avro_order(each, n)) for n, each in enumerate([*names, *names])]
    avro += [
        _placed(_avro_key("o-1"), _avro_order("o-1", 5)),  # behind
        _placed(_avro_key("o-1"), _avro_order("o-2", 99)),  # another field
        _placed(_avro_key("o-1"), _avro_order("o-1", 98)[:-1]),  # too short
        _placed(_text("o-1"), _avro_order("o-1", 97)),  # no frame
        _placed(_avro_key("o-3"), _avro_order("o-3", 99), away=1),
    ]
    yield "avro", avro
    plain = [_placed(_json(id=each), _json(id=each, n=n)) for n, each in enumerate([*names, *names])]
    plain += [
        _placed(_json(id="o-1"), _json(id="o-1", n=5)),
        _placed(_json(id="o-1"), _json(id="o-1", n="many")),
        _placed(_json(id=7), _json(id="7", n=99)),
        _placed(b"{", b"{"),
        _placed(_json(id="o-3"), _json(id="o-3", n=99), away=1),
    ]
    yield "json", plain
    tickets = [_placed(b"TT%04d" % number, b"text") for number in range(20)]
    tickets += [_placed(b"TT1", b"\xff"), _placed(b"TT0001", None), Record(None, b"x"), _placed(b"TT0002", b"", 2)]
    yield "pattern", tickets
    trace, tenant = ("trace-id", b"0123456789"), ("tenant", b"a")
    some = [(trace, tenant), (trace,), (), (("trace-id", None), tenant), (trace, tenant, ("more", b"x" * 40))]
    yield "headers", [_placed(b"k%d" % number, b"", headers=each) for number, each in enumerate(some * 3)]
    spread = [("a", 0), ("h", 1), ("o", 2), ("a", 1), ("zebra", 0)]
    yield "range", [*(Record(key.encode(), b"", part) for key, part in spread), Record(None, b"", 1)]
    crc32 = HASH_PARTITIONERS["librdkafka-consistent"]
    keys = [each.encode() for each in names]
    yield "expression", [*(Record(key, b"", int(str(crc32.partition(key, 3)))) for key in keys), Record(b"o-1", b"", 0)]


def _placed(
    key: bytes, value: bytes | None, away: int = 0, headers: tuple[tuple[str, bytes | None], ...] = ()
) -> Record:
    """So many partitions away from where the key belongs."""
    place = HASH_PARTITIONERS["murmur2"].partition(key, PARTITIONS)
    assert isinstance(place, int)
    return Record(key, value, (place + away) % PARTITIONS, (), headers)


def _json(**fields: object) -> bytes:
    return json.dumps(fields).encode()


def _zigzag(number: int) -> bytes:
    """Avro's variable-length number, of one that is not negative."""
    rest, out = number << 1, bytearray()
    while rest > 0x7F:
        out.append(rest & 0x7F | 0x80)
        rest >>= 7
    return bytes((*out, rest))


def _text(value: str) -> bytes:
    return _zigzag(len(value)) + value.encode()


def _avro_key(name: str) -> bytes:
    return b"\0" + struct.pack(">I", 7) + _text(name)


def _avro_order(name: str, number: int) -> bytes:
    return b"\0" + struct.pack(">I", 8) + _text(name) + _zigzag(number)


def violations(report: Mapping[str, object]) -> set[str]:
    """The checks that found something, in the report's JSON."""
    topics: list[dict[str, list[dict[str, object]]]] = report["topics"]  # type: ignore[assignment]
    return {str(result["check"]) for topic in topics for result in topic["results"] if result.get("violations")}
