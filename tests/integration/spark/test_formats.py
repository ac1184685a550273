"""Every key format, value format, header and table: planted faults at known offsets, exactly those found."""

from __future__ import annotations

import base64
import json
import struct
import uuid
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from planted import Fault, Record, found_in, result

from kafka_topology.spark_checks import Options, check
from kafka_topology.spark_checks.partitioners import HASH_PARTITIONERS
from kafka_topology.topology.model import Headers, Key, KeyRange, Partitioner, Value

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

Plant = Callable[[str, Sequence[Record]], set[tuple[str, str, int, int]]]
ORDER_AVRO = {
    "type": "record",
    "name": "Order",
    "namespace": "shop",
    "fields": [
        {"name": "id", "type": "string"},
        {"name": "number", "type": "long"},
        {"name": "small", "type": "int"},
        {"name": "raw", "type": "bytes"},
        {
            "name": "buyer",
            "type": ["null", {"type": "record", "name": "Buyer", "fields": [{"name": "id", "type": "string"}]}],
        },
    ],
}
KEY_AVRO = {"type": "record", "name": "OrderKey", "fields": [{"name": "id", "type": "string"}]}


def zigzag(number: int) -> bytes:
    """Avro's variable-length number."""
    rest, out = (number << 1) ^ (number >> 63), bytearray()
    while rest > 0x7F:
        out.append(rest & 0x7F | 0x80)
        rest >>= 7
    return bytes((*out, rest))


def text(value: str | bytes) -> bytes:
    data = value.encode() if isinstance(value, str) else value
    return zigzag(len(data)) + data


def order(number: int, buyer: str | None = None) -> bytes:
    """An order in Avro, by hand."""
    tail = b"\0" if buyer is None else b"\2" + text(buyer)
    return text(f"o-{number}") + zigzag(number) + zigzag(number) + text(struct.pack(">q", number)) + tail


def framed(data: bytes, schema_id: int = 7) -> bytes:
    return b"\0" + struct.pack(">I", schema_id) + data


def murmur2(key: bytes, partitions: int) -> int:
    place = HASH_PARTITIONERS["murmur2"].partition(key, partitions)
    assert isinstance(place, int)
    return place


def keyed(key: bytes, value: bytes, *faults: Fault) -> Record:
    return Record(key, value, murmur2(key, 3), faults)


def as_json(**fields: Any) -> bytes:
    return json.dumps(fields).encode()


NOT, DIFFERS = "key-type", ("key-field", "differs from order.id")
UUIDS = [str(uuid.UUID(int=number * 7919)) for number in range(1, 30)]


def key_cases() -> dict[str, tuple[Key, list[Record]]]:
    """Each key type with a value whose field it equals, and every way not to."""

    def value(field: Any) -> bytes:
        return as_json(order={"id": field}, more="x")

    def cases(wrong: str, good: list[tuple[bytes, Any]], bad: list[bytes], other: Any) -> list[Record]:
        """Bad bytes equal no field either."""
        return [
            *(keyed(key, value(field)) for key, field in good),
            *(keyed(key, value("?"), (NOT, wrong), DIFFERS) for key in bad),
            keyed(good[0][0], value(other), DIFFERS),
            keyed(good[0][0], as_json(order={}), DIFFERS),
            keyed(good[0][0], as_json(order=None), DIFFERS),
        ]

    numbers = [0, 1, -1, 41, 2**31 - 1, -(2**31)]
    wide = [*numbers, 2**63 - 1, -(2**63)]
    return {
        "string": (
            Key("string", field="order.id"),
            cases("not string", [(b"ann", "ann"), ("zoë".encode(), "zoë")], [b"\xff\xfe", b"\xc3"], "bob"),
        ),
        "int": (
            Key("int", field="order.id"),
            cases("not int", [(struct.pack(">i", n), n) for n in numbers], [b"41", b"\0" * 8, b"\0"], 42),
        ),
        "long": (
            Key("long", field="order.id"),
            cases("not long", [(struct.pack(">q", n), n) for n in wide], [b"41", b"\0\0\0\1"], 42),
        ),
        "uuid": (
            Key("uuid", field="order.id"),
            cases(
                "not uuid",
                [(each.encode(), each) for each in UUIDS],
                [UUIDS[0].replace("-", "").encode(), b"x" * 36, uuid.UUID(UUIDS[1]).bytes],
                UUIDS[3],
            ),
        ),
        "json": (
            Key("json", field="order.id"),
            cases(
                "not json",
                [(b'"ann"', "ann"), (b"41", 41), (b'{"id": "ann"}', "ann"), (b'{"n": [1, 2]}', {"n": [1, 2]})],
                [b"{ann}", b'{"a": 1} trailing', b"\xff", b"NaN"],
                "bob",
            ),
        ),
        "bytes": (
            Key("bytes", field="order.id"),
            [
                keyed(b"\xff\0\1", value(base64.b64encode(b"\xff\0\1").decode())),
                keyed(b"long" * 40, value(base64.b64encode(b"long" * 40).decode())),
                keyed(b"\xff\0\1", value("other"), DIFFERS),
            ],
        ),
        "pattern": (
            Key("pattern", pattern="TT[0-9]{4}", pattern_name="ticket", field="order.id"),
            cases("not pattern", [(b"TT0124", "TT0124")], [b"TT01", b"xTT0124", b"TT0124\n"], "TT9999"),
        ),
        "avro": (
            Key("avro", field="order.id", schema="key.avsc"),
            [
                keyed(framed(text("ann")), value("ann")),
                keyed(framed(text("ann"), 8), value("ann")),
                keyed(framed(text("ann")), value("bob"), DIFFERS),
                keyed(text("ann"), value("ann"), (NOT, "not avro"), DIFFERS),
                keyed(framed(text("ann")[:-1]), value("ann"), (NOT, "does not decode"), DIFFERS),
                keyed(framed(text("ann") + b"x"), value("ann"), (NOT, "does not decode"), DIFFERS),
            ],
        ),
    }


@pytest.mark.parametrize("kind", ["string", "int", "long", "uuid", "json", "bytes", "pattern", "avro"])
def test_keys_of_every_type_by_type_and_field(
    spark: SparkSession, bootstrap: str, declare: Any, create_topic: Any, plant: Plant, kind: str
) -> None:
    key, records = key_cases()[kind]
    name = create_topic(3)
    placed = plant(name, records)
    topology = declare(name, 3, key=key, value=Value("json"), schemas={"key.avsc": json.dumps(KEY_AVRO)})
    (report,) = check(spark, topology, bootstrap_servers=bootstrap, options=Options(examples=100)).topics
    assert report.records == len(records)
    assert found_in(report) == placed
    checked = {each.check: each.status for each in report.results}
    assert checked.pop("key-type") == ("not-checked" if kind == "bytes" else "exact")
    assert set(checked.values()) == {"exact"}
    for each in report.results:
        assert (each.violations or 0) == len({place for place in placed if place[0] == each.check})
