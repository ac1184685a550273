"""Every key format, value format, header and table: planted faults at known offsets, exactly those found."""

from __future__ import annotations

import base64
import json
import struct
import uuid
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from planted import Fault, Record, found_in, result

from kafka_topology.spark_checks.results.report import TopicReport
from kafka_topology.topology.kafka.partitioners import HASH_PARTITIONERS
from kafka_topology.topology.model.declared import Headers, Key, KeyRange, Partitioner, Value

Inspect = Callable[..., tuple[TopicReport, set[tuple[str, str, int, int]]]]
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
def test_keys_of_every_type_by_type_and_field(inspect: Inspect, kind: str) -> None:
    key, records = key_cases()[kind]
    report, placed = inspect(records, key=key, value=Value("json"), schemas={"key.avsc": json.dumps(KEY_AVRO)})
    assert found_in(report) == placed
    for name in ("placement", "key-type", "key-field", "nulls", "value-schema"):
        found = result(report, name)
        assert found.status == ("not-checked" if (kind, name) == ("bytes", "key-type") else "exact")
        assert (found.violations or 0) == len({place for place in placed if place[0] == name})


@pytest.mark.parametrize(
    ("key", "of", "field"),
    [
        (Key("string", field="id"), lambda n: f"o-{n}".encode(), None),
        (Key("long", field="number"), lambda n: struct.pack(">q", n), None),
        (Key("int", field="small"), lambda n: struct.pack(">i", n), None),
        (Key("bytes", field="raw"), lambda n: struct.pack(">q", n), None),
        (Key("avro", field="id", schema="key.avsc"), lambda n: framed(text(f"o-{n}")), None),
        (Key("string", field="buyer.id"), lambda n: f"b-{n}".encode(), "b-"),
    ],
)
def test_avro_values_are_decoded_and_their_fields_compared(
    inspect: Inspect, key: Key, of: Callable[[int], bytes], field: str | None
) -> None:
    differs = ("key-field", f"differs from {key.field}")

    def value(number: int) -> bytes:
        return framed(order(number, None if field is None else f"{field}{number}"))

    undecodable = [
        (value(3)[5:], "no schema-id frame"),
        (b'{"id": "x"}', "no schema-id frame"),
        (b"", "no schema-id frame"),
        (value(3)[:-1], "does not decode"),
        (value(3) + b"\0", "does not decode"),
        (framed(b"\xff" * 12), "does not decode"),
        (framed(b"\xfe\xff\xff\xff\x0f" * 3), "does not decode"),  # a text of two gigabytes
    ]
    records = [
        *(keyed(of(number), value(number)) for number in (0, 1, -5, 2**31 - 1)),
        keyed(of(1), value(2), differs),
        *(keyed(of(3), data, ("value-schema", fault), differs) for data, fault in undecodable),
        Record(of(3), None, murmur2(of(3), 3), (("nulls", "tombstone"),)),
    ]
    schemas = {"order.avsc": json.dumps(ORDER_AVRO), "key.avsc": json.dumps(KEY_AVRO)}
    report, placed = inspect(records, key=key, value=Value("avro", schema="order.avsc"), schemas=schemas)
    assert found_in(report) == placed
    schema = result(report, "value-schema")
    assert (schema.status, schema.violations) == ("exact", len(undecodable))
    assert "framed and unframed values are mixed" in schema.cause


ORDER_SCHEMA = {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "$id": "https://example.org/schemas/order.schema.json",
    "type": "object",
    "required": ["id", "to"],
    "properties": {"id": {"type": "string"}, "to": {"$ref": "parts/address.schema.json#/$defs/address"}},
}
ADDRESS_SCHEMA = {
    "$defs": {
        "address": {"type": "object", "required": ["city"], "properties": {"city": {"$ref": "#/$defs/name"}}},
        "name": {"type": "string", "minLength": 2},
    }
}
NOT_JSON, FRAMED = ("value-schema", "not JSON"), ("value-schema", "schema-id frame")
BREAKS = ("value-schema", "breaks the schema")


def json_values(breaks: tuple[Fault, ...]) -> list[Record]:
    good = [as_json(id=str(n), to={"city": "Köln"}) for n in range(20)]
    wrong = [as_json(id=1, to={"city": "Bern"}), as_json(id="1"), as_json(id="1", to={"city": "X"}), b"[]", b"12"]
    broken = [b"{", b"", b"NaN", b"{} {}", b"{'id': 1}", b'"\xff"', b"plain", b"01", b"[1],[2]"]
    values = [
        *((value, ()) for value in good),
        *((value, breaks) for value in wrong),
        *((value, (NOT_JSON,)) for value in broken),
        (framed(good[0]), (FRAMED,)),
        (good[0], ()),
        (None, ()),
    ]
    return [Record(b"k", value, index % 3, faults) for index, (value, faults) in enumerate(values)]


def test_json_values_with_and_without_a_schema(inspect: Inspect, tmp_path: Path) -> None:
    (tmp_path / "schemas/parts").mkdir(parents=True)
    (tmp_path / "schemas/parts/address.schema.json").write_text(json.dumps(ADDRESS_SCHEMA))
    schemas = {"schemas/order.schema.json": json.dumps(ORDER_SCHEMA)}
    value = Value("json", schema="schemas/order.schema.json")
    report, placed = inspect(json_values((BREAKS,)), value=value, schemas=schemas, root=tmp_path)
    assert found_in(report, "value-schema") == placed
    schema = result(report, "value-schema")
    assert (schema.status, schema.violations) == ("exact", 5 + 9 + 1)
    assert schema.faults == {"breaks the schema": 5, "not JSON": 9, "schema-id frame": 1}
    assert "schema-id frame" in schema.cause

    report, placed = inspect(json_values(()), value=Value("json"))
    assert found_in(report, "value-schema") == placed
    assert result(report, "value-schema").status == "exact"


def test_a_declared_share_is_judged_the_same_at_every_run(inspect: Inspect) -> None:
    records = [Record(b"k", b"broken", number % 3) for number in range(900)]
    schemas = {"any.schema.json": "{}"}
    judged = {}
    for schema in (None, "any.schema.json"):
        report, _ = inspect(records, value=Value("json", schema=schema, sample=0.2), schemas=schemas)
        found = result(report, "value-schema")
        assert (found.status, found.violations + found.exempt, found.unjudged) == ("bounded", 900, 0)
        assert 100 < found.violations < 260
        assert "a share of 0.2 of the records" in found.reason
        judged[schema] = found.violations
    # Chosen by topic as well: two topics of the same records are two samples.
    assert judged[None] != judged["any.schema.json"]


def test_text_values_are_text_and_other_formats_say_why_not(inspect: Inspect) -> None:
    records = [
        Record(b"k", b"a"),
        Record(b"k", b"\xff", 0, (("value-schema", "not UTF-8"),)),
        Record(b"k", b"\0abcdef"),
    ]
    report, placed = inspect(records, value=Value("string"))
    assert found_in(report, "value-schema") == placed
    report, placed = inspect([Record(b"k", b"{}", 0, (("value-schema", "no schema-id frame"),))], value=Value("avro"))
    assert found_in(report, "value-schema") == placed
    assert result(report, "value-schema").status == "bounded"


def test_headers_required_and_their_size(inspect: Inspect) -> None:
    trace, tenant = ("trace-id", b"0123456789"), ("tenant", b"a")  # 18 and 7 bytes
    no_trace, no_tenant = ("headers", "no header trace-id"), ("headers", "no header tenant")
    large = ("headers", "headers above 40 bytes")
    records = [
        Record(b"k", b"", 0, (), (trace, tenant)),
        Record(b"k", b"", 1, (), (trace, tenant, ("zoë", b"12345678901"))),  # exactly 40: ë has two bytes
        Record(b"k", b"", 1, (large,), (trace, tenant, ("zoë", b"123456789012"))),
        Record(b"k", b"", 2, (no_tenant,), (trace,)),
        Record(b"k", b"", 2, (no_trace, no_tenant)),
        Record(b"k", b"", 0, (no_trace,), (("trace-id", None), tenant)),
        Record(b"k", b"", 0, (), (("trace-id", None), trace, tenant)),
    ]
    report, placed = inspect(records, headers=Headers(("trace-id", "tenant"), 40))
    assert found_in(report, "headers") == placed
    assert result(report, "headers").status == "exact"


def in_table(partitioner: Partitioner, kind: str = "string") -> dict[str, Any]:
    return {"key": Key(kind, partitioner=partitioner, nulls="allowed")}


MISPLACED, UNKNOWN = ("placement", "misplaced"), ("placement", "not in the table")


def test_ranges_and_lists_place_keys(inspect: Inspect) -> None:
    ranges = Partitioner("range", ranges=(KeyRange(0, None, "g"), KeyRange(1, "g", "n"), KeyRange(2, "n", "ö")))
    records = [
        *(Record(key, b"", 0) for key in (b"", b"a", b"fzzz", b"f\xff", b"Z")),
        *(Record(key, b"", 1) for key in (b"g", b"mm")),
        *(Record(key, b"", 2) for key in (b"n", b"zebra", b"\xc3\xb5", None)),
        Record(b"g", b"", 0, (MISPLACED,)),
        Record(b"fzzz", b"", 1, (MISPLACED,)),
        Record("ö".encode(), b"", 2, (UNKNOWN,)),
        Record(b"\xff", b"", 0, (UNKNOWN,)),
    ]
    report, placed = inspect(records, **in_table(ranges))
    assert found_in(report, "placement") == placed
    placement = result(report, "placement")
    assert (placement.status, placement.exempt, placement.violations) == ("exact", 1, 4)
    assert {each.expected_partition for each in placement.examples} == {0, 1, None}

    numbers = Partitioner("range", ranges=(KeyRange(0, None, "0"), KeyRange(1, "0", "100"), KeyRange(2, "100")))
    places = [(-1, 0), (-(2**31), 0), (0, 1), (9, 1), (99, 1), (100, 2), (1000, 2), (2**31 - 1, 2)]
    records = [Record(struct.pack(">i", number), b"", place) for number, place in places]
    records += [Record(struct.pack(">i", 9), b"", 2, (MISPLACED,)), Record(b"9", b"", 0), Record(None, b"", 0)]
    report, placed = inspect(records, **in_table(numbers, "int"))
    assert found_in(report, "placement") == placed
    placement = result(report, "placement")  # a key that is no number cannot be looked up
    assert (placement.status, placement.unjudged, placement.exempt) == ("bounded", 1, 1)

    many = {f"shop-{number}": number % 3 for number in range(2000)}
    records = [Record(key.encode(), b"", place) for key, place in list(many.items())[:300]]
    records += [Record(b"shop-1", b"", 0, (MISPLACED,)), Record(b"shop-2000", b"", 0, (UNKNOWN,)), Record(None, b"", 1)]
    report, placed = inspect(records, **in_table(Partitioner("list", keys=many)))
    assert found_in(report, "placement") == placed
    assert result(report, "placement").exempt == 1


def test_an_expression_places_keys(inspect: Inspect) -> None:
    expression = "CASE WHEN key_text LIKE 'any%' THEN NULL ELSE crc32(key) % partitions END"
    crc32 = HASH_PARTITIONERS["librdkafka-consistent"]
    keys = [f"key-{number}".encode() for number in range(200)]
    records = [Record(key, b"", int(str(crc32.partition(key, 3)))) for key in keys]
    wrong = (int(str(crc32.partition(keys[0], 3))) + 1) % 3
    records += [Record(keys[0], b"", wrong, (MISPLACED,)), Record(b"any-1", b"", 0), Record(None, b"", 1)]
    report, placed = inspect(records, **in_table(Partitioner("custom", expression=expression)))
    assert found_in(report, "placement") == placed
    assert (result(report, "placement").status, result(report, "placement").exempt) == ("exact", 2)


def test_an_expression_that_fails_on_a_record_costs_one_check(inspect: Inspect) -> None:
    partitioner = Partitioner("custom", expression="CAST(key_text AS INT) % partitions")
    report, _ = inspect([Record(b"12", b"", 0), Record(b"ann", b"", 0)], key=Key("string", partitioner=partitioner))
    placement = result(report, "placement")
    assert (placement.status, placement.outcome, placement.violations) == ("not-checked", "could-not-check", None)
    assert placement.reason == "the expression fails: CAST_INVALID_INPUT on a record"
    assert (result(report, "key-type").status, report.records) == ("exact", 2)
