"""Records of every kind, all conditions that can be asked of them, and how both engines get them."""

from __future__ import annotations

import json
import random
from collections.abc import Iterable, Iterator
from dataclasses import replace
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from plain_tally import Record

from kafka_topology.spark_checks.conditions.record import (
    Behind,
    Condition,
    DiffersFromField,
    EmptyKey,
    Era,
    FirstOfKey,
    Framed,
    InFuture,
    IsMoment,
    Misplaced,
    NoNumber,
    NotOfFormat,
    NotOfType,
    NotTimestampType,
    NullKey,
    NullValue,
    NumberField,
    Older,
    Repeated,
    SameAsBefore,
    SupersededOverdue,
    Tombstone,
    Undetermined,
    Unframed,
)
from kafka_topology.spark_checks.results.scan import Tally
from kafka_topology.topology.kafka.partitioners import HASH_PARTITIONERS

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

SCHEMA = "partition int, offset long, key binary, value binary, timestamp timestamp, timestampType int"
EPOCH = datetime(1970, 1, 1)  # noqa: DTZ001 - the session's zone is UTC
MURMUR2 = HASH_PARTITIONERS["murmur2"]
SEQUENCE = NumberField(("sequence",))
MOMENT = NumberField(("at", "time"), time=True)
EVERYTHING: tuple[Condition, ...] = (
    Misplaced(MURMUR2, (Era(2, 1_500), Era(3))),
    Misplaced(HASH_PARTITIONERS["librdkafka-consistent-random"], (Era(3),)),
    Undetermined(MURMUR2),
    Undetermined(HASH_PARTITIONERS["librdkafka-consistent-random"]),
    NullKey(),
    EmptyKey(),
    NullValue(),
    Tombstone(),
    *(NotOfType(kind) for kind in ("none", "int", "long", "uuid", "string", "bytes")),
    NotOfType("pattern", "[a-m]+"),  # one that the jar leaves to a column
    NotOfFormat("json"),
    NotOfFormat("string"),
    Framed(),
    Unframed(),
    DiffersFromField(("id",)),
    NoNumber(SEQUENCE),
    NoNumber(MOMENT),
    IsMoment(MOMENT),
    FirstOfKey(),
    *(kind(SEQUENCE, scope) for kind in (Behind, Repeated) for scope in ("key", "partition")),
    *(kind(MOMENT, scope) for kind in (Behind, Repeated) for scope in ("key", "partition")),
    Older("key"),
    Older("partition"),
    SameAsBefore(),
    SupersededOverdue(2_000),
    InFuture(2_500),
    NotTimestampType(0),
)  # fmt: skip


def frame_of(spark: SparkSession, records: Iterable[Record]) -> DataFrame:
    """As the Kafka source gives them: partition by partition, by offset."""
    rows = [
        (each.partition, each.offset, each.key, each.value, EPOCH + timedelta(milliseconds=each.timestamp_ms),
         each.timestamp_type)
        for each in records
    ]  # fmt: skip
    frame = spark.createDataFrame(rows, SCHEMA)
    return frame.repartition(3, "partition").sortWithinPartitions("partition", "offset")


def in_order(tally: object) -> Tally:
    assert isinstance(tally, Tally)
    return replace(tally, groups=tuple(sorted(tally.groups, key=lambda each: (each.partition, each.mask))))


def some_records(seed: int, count: int) -> Iterator[Record]:
    """Few keys, gaps in offsets, times and numbers that go back at times, values of every kind."""
    chance = random.Random(seed)  # noqa: S311 - repeatable
    keys = [None, b"", b"\xff\xfe", "ä".encode(), b"\0\0\0\7", b"\0" * 8, b"354afe16-939a-4ea8-8e17-8bb0840b688A",
            *(f"k{number}".encode() for number in range(8)), b"abc", b"x" * 5000]  # fmt: skip
    offsets = [0, 0, 0]
    copied: dict[tuple[int, bytes | None], Record] = {}
    for number in range(count):
        partition = chance.randrange(3)
        offsets[partition] += 1 if chance.random() < 0.8 else chance.randrange(1, 50)
        key = chance.choice(keys) if chance.random() < 0.7 else b"often"
        record = Record(
            partition,
            offsets[partition],
            key,
            some_value(chance, key, number),
            number + chance.choice([0, 0, 0, -1, -700]),
            int(chance.random() < 0.1),
        )
        before = copied.get((partition, key))
        if before is not None and chance.random() < 0.2:
            record = Record(partition, record.offset, key, before.value, before.timestamp_ms)
        copied[partition, key] = record
        yield record


def some_value(chance: random.Random, key: bytes | None, number: int) -> bytes | None:
    if chance.random() < 0.1:
        return chance.choice([None, None, b"", b"{", b"[]", b'"text"', b"\0\0\0\0\7{}", b"\xff"])
    # Of 19 digits and more, beyond 64 bits, with fractions and exponents; raw JSON, as Python would round some.
    sequence = chance.choice(
        [number, number, number, number - 5, f'"{number}"', f'"{number:018}"', -number, '"x"', "null", "true",
         10**18 + number, 1_772_359_200_000_000_000 + number, 2**63 - 1 + number % 3, -(2**62) - number % 3,
         10**40 + number, -(10**40) - number, f"{number}.0", f"{number}.{number:020}", f"{number}e2", f"{number}e-3",
         f"{number}E+40", f"-{number}.5", "-0", "0.0", "1e9999999999"]
    )  # fmt: skip
    second, fraction = divmod(number, 1000)
    day = chance.choice(
        ["2026-02-28", "2026-02-28", "2026-02-28", "1969-12-31", "2024-02-29", "2026-02-30", "0001-01-02"]
    )
    clock = f"12:{second // 60:02}:{second % 60:02}"
    clock += chance.choice(
        ["", f".{fraction:03}", f",{fraction:03}", f".{fraction:03}123456", f".{fraction:03}" + "5" * 12]
    )
    clock = chance.choice([clock, clock, clock, f"10:{number % 60:02}", "24:00:00", "23:59:60"])
    text = f"{day}{chance.choice('Tt ')}{clock}"
    text += chance.choice(["", "Z", "z", "+00:00", "-0130", "+02:00", "+02", "+18:00", "+18:01", "X"])
    epoch = chance.choice(["%d", "%d.25", "%d.123456789", "%d000", "%d000000", "%d000000000"]) % (
        1_772_000_000 + number
    )
    shown = json.dumps(text)
    moment = chance.choice([shown, shown, json.dumps(day), number, epoch, '"12:00"', json.dumps(f" {text}"), "null"])
    document = {
        "id": json.dumps((key or b"?").decode(errors="replace"), ensure_ascii=chance.random() < 0.5),
        "sequence": sequence,
        "at": f'{{"time": {moment}}}',
    }
    if chance.random() < 0.1:
        del document[chance.choice(list(document))]
    return ("{" + ", ".join(f'"{name}": {member}' for name, member in document.items()) + "}").encode()
