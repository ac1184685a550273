"""Conditions as Spark columns, from what ships with Spark: no jar of ours, no Python worker."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Protocol

from pyspark.sql import functions as F  # noqa: N812 - the name everybody knows

from kafka_topology.topology.kafka.partitioners import Hash, HashPartitioner, Reduction

from ...conditions.record import (
    Condition,
    DecodedDiffersFromField,
    DiffersFromField,
    EmptyKey,
    Era,
    Framed,
    HeaderMissing,
    HeadersTooLarge,
    InFuture,
    IsMoment,
    Judged,
    Misplaced,
    MisplacedByTable,
    NoNumber,
    NoPlaceInTable,
    NotInTable,
    NotOfFormat,
    NotOfType,
    NotTimestampType,
    NullKey,
    NullValue,
    OutsideShare,
    Stateful,
    Tombstone,
    Undetermined,
    Unframed,
    WithinShare,
)
from ...reading.halves import by_halves
from .contents import (
    differs_from_field,
    differs_when_decoded,
    header_missing,
    headers_too_large,
    in_share,
    is_framed,
    not_of_format,
)
from .fields import number_columns
from .json_text import is_json
from .tables import declared_partition, has_no_place, not_in_table

if TYPE_CHECKING:
    from pyspark.sql import Column

UUID = "^[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}$"


class Hashes(Protocol):
    """The 32-bit hashes of a binary column, unsigned, as bigint. Null stays null."""

    def murmur2(self, key: Column) -> Column: ...
    def crc32(self, key: Column) -> Column: ...
    def fnv1a(self, key: Column) -> Column: ...


def is_about_one_record(condition: Condition) -> bool:
    return not isinstance(condition, Stateful)


def mask(
    conditions: Sequence[Condition], hashes: Hashes, wanted: Callable[[Condition], bool] = is_about_one_record
) -> Column:
    """One bit per condition, in order: all answers about a record in one number. Bits that are not wanted are 0."""
    bits = [
        F.when(condition(each, hashes), F.lit(1 << bit)).otherwise(F.lit(0)).cast("bigint")
        for bit, each in enumerate(conditions)
        if wanted(each)
    ]
    return by_halves(lambda left, right: left.bitwiseOR(right), bits or [F.lit(0).cast("bigint")])


def condition(wanted: Condition, hashes: Hashes) -> Column:  # noqa: C901, PLR0912 - a case per condition
    key, value = F.col("key"), F.col("value")
    match wanted:
        case Misplaced(partitioner, eras):
            return expected_partition(partitioner, eras, hashes) != F.col("partition")
        case Undetermined(partitioner):
            return undetermined(partitioner)
        case MisplacedByTable(table):
            return key.isNotNull() & (declared_partition(table) != F.col("partition"))
        case NotInTable(table):
            return not_in_table(table)
        case NoPlaceInTable(table):
            return has_no_place(table)
        case NullKey():
            return key.isNull()
        case EmptyKey():
            return F.length(key) == 0
        case NullValue():
            return value.isNull()
        case Tombstone():
            return value.isNull() & key.isNotNull()
        case NotOfType():
            return key.isNotNull() & ~_is_of_type(wanted)
        case DiffersFromField(path):
            return differs_from_field(path)
        case DecodedDiffersFromField(path):
            return differs_when_decoded(path)
        case Judged(part, outcome):
            return F.col(f"{part}_outcome") == F.lit(int(outcome))
        case NotOfFormat():
            return not_of_format(wanted)
        case Framed():
            return is_framed(value)
        case Unframed():
            return value.isNotNull() & ~is_framed(value)
        case HeaderMissing(names):
            return header_missing(names)
        case HeadersTooLarge(max_bytes):
            return headers_too_large(max_bytes)
        case OutsideShare(share):
            return ~in_share(share)
        case WithinShare(share, inner):
            return in_share(share) & condition(inner, hashes)
        case NoNumber(number_field):
            return F.coalesce(*map(F.col, number_columns(number_field)), F.lit(None)).isNull()
        case IsMoment(number_field):
            return F.col(number_columns(number_field)[1]).isNotNull() if number_field.time else F.lit(False)
        case InFuture(after_ms):
            return F.unix_millis("timestamp") > after_ms
        case NotTimestampType(type_):
            return F.col("timestampType") != type_
    raise TypeError(f"{wanted} is about several records")


def expected_partition(partitioner: HashPartitioner, eras: Sequence[Era], hashes: Hashes) -> Column:
    """The partition the key belongs to, null where the partitioner leaves it open."""
    key = F.col("key")
    if partitioner.null_as_empty:
        key = F.coalesce(key, F.lit(b""))
    unsigned = {Hash.MURMUR2: hashes.murmur2, Hash.CRC32: hashes.crc32, Hash.FNV1A: hashes.fnv1a}[partitioner.hash](key)
    match partitioner.reduction:
        case Reduction.MASKED:
            spread = unsigned.bitwiseAND(F.lit(0x7FFFFFFF))
        case Reduction.ABSOLUTE:
            sign = F.lit(0x80000000)
            spread = F.abs(unsigned.bitwiseXOR(sign) - sign)
        case Reduction.UNSIGNED:
            spread = unsigned
    placed = spread % partitions_at_the_time(eras)
    return F.when(~undetermined(partitioner), placed)


def undetermined(partitioner: HashPartitioner) -> Column:
    key = F.col("key")
    open_keys = F.lit(False) if partitioner.null_as_empty else key.isNull()
    if partitioner.empty_anywhere:
        open_keys = open_keys | (F.length(key) == 0)
    return open_keys


def partitions_at_the_time(eras: Sequence[Era]) -> Column:
    *past, now = eras
    if not past:
        return F.lit(now.partitions)
    # Milliseconds since the epoch: comparing timestamps would depend on the session's time zone.
    branches: Any = F
    for era in past:
        branches = branches.when(F.unix_millis("timestamp") < F.lit(era.until_ms), F.lit(era.partitions))
    partitions: Column = branches.otherwise(F.lit(now.partitions))
    return partitions


def _is_of_type(wanted: NotOfType) -> Column:
    key = F.col("key")
    text = key.cast("string")
    valid_text = F.call_function("is_valid_utf8", text)
    match wanted.type:
        case "none":
            return F.lit(False)
        case "int":
            return F.length(key) == 4
        case "long":
            return F.length(key) == 8
        case "uuid":
            return (F.length(key) == 36) & text.rlike(UUID)
        case "string":
            return valid_text
        case "json":
            return is_json(key)
        case "avro":
            return is_framed(key)
        case "pattern":
            # The whole key must match, as a declared format is read by people.
            return valid_text & text.rlike(rf"\A(?:{wanted.pattern})\z")
        case "bytes":
            return F.lit(True)
