"""What can be asked of a single record, as plain data.

A check says which conditions it needs; how a condition becomes a Spark column is decided elsewhere
(`engines/`): every engine gives the same answers for the same conditions, and checks need no Spark.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import IntEnum
from typing import ClassVar, Final, Literal

from kafka_topology.topology.kafka.partitioners import HashPartitioner
from kafka_topology.topology.model.declared import KeyType

from .shares import Share
from .tables import ExpressionTable, Table

# The columns of a record that a condition reads. Each condition declares them as `reads`.
Columns = frozenset[str]
KEY: Final[Columns] = frozenset({"key"})
VALUE: Final[Columns] = frozenset({"value"})
TIMESTAMP: Final[Columns] = frozenset({"timestamp"})
HEADERS: Final[Columns] = frozenset({"headers"})


@dataclass(frozen=True, slots=True)
class Era:
    """Records with an earlier timestamp were placed over this many partitions. None: until now."""

    partitions: int
    until_ms: int | None = None


@dataclass(frozen=True, slots=True)
class Misplaced:
    """The key belongs to another partition than the one the record is in."""

    partitioner: HashPartitioner
    eras: tuple[Era, ...]

    @property
    def reads(self) -> Columns:
        return KEY | TIMESTAMP if len(self.eras) > 1 else KEY


@dataclass(frozen=True, slots=True)
class Undetermined:
    """The partitioner ties the key to no partition, so placement cannot be judged."""

    partitioner: HashPartitioner
    reads: ClassVar[Columns] = KEY


@dataclass(frozen=True, slots=True)
class MisplacedByTable:
    """The declared table or expression puts the key into another partition than the one the record is in."""

    table: Table

    @property
    def reads(self) -> Columns:
        return _of_table(self.table)


@dataclass(frozen=True, slots=True)
class NotInTable:
    """No range holds the key, or no entry of the list is the key."""

    table: Table

    @property
    def reads(self) -> Columns:
        return _of_table(self.table)


@dataclass(frozen=True, slots=True)
class NoPlaceInTable:
    """The table cannot be asked: no key, a key that is not of the declared type, or an expression that gives null."""

    table: Table

    @property
    def reads(self) -> Columns:
        return _of_table(self.table)


@dataclass(frozen=True, slots=True)
class NullKey:
    reads: ClassVar[Columns] = KEY


@dataclass(frozen=True, slots=True)
class EmptyKey:
    reads: ClassVar[Columns] = KEY


@dataclass(frozen=True, slots=True)
class NullValue:
    reads: ClassVar[Columns] = VALUE


@dataclass(frozen=True, slots=True)
class Tombstone:
    """The value is null, the key is not."""

    reads: ClassVar[Columns] = KEY | VALUE


@dataclass(frozen=True, slots=True)
class NotOfType:
    """The key's bytes are not what a serializer of this type writes. Null keys are not judged."""

    type: KeyType
    pattern: str | None = None
    reads: ClassVar[Columns] = KEY


@dataclass(frozen=True, slots=True)
class DiffersFromField:
    """The key's text differs from this field of the JSON value, or the field is missing.

    The text of a string is what it says, that of a number is how it is written (`1.10` is not `1.1`), that of an array
    or an object is JSON without spaces. Of a name that is there twice the last one counts. A null is missing, and so is
    every field of a value that is not JSON, and a text with half a surrogate pair (`"\\ud800"`), which equals nothing.
    """

    path: tuple[str, ...]
    reads: ClassVar[Columns] = KEY | VALUE


@dataclass(frozen=True, slots=True)
class DecodedDiffersFromField:
    """The same for a key that is not plain text, by its decoded text.

    A key that is a JSON object or an Avro record is compared by its member of the field's own name, if it has one. A
    string is never looked into, whatever it looks like.
    """

    path: tuple[str, ...]
    reads: ClassVar[Columns] = KEY | VALUE


Part = Literal["key", "value"]


class Outcome(IntEnum):
    """What decoding, or a schema's validator, says of a key or a value. Null ones are fine."""

    FINE = 0
    UNREADABLE = 1  # not JSON, or not what the Avro schema says
    FRAMED = 2  # a schema-id frame where plain JSON is declared
    UNFRAMED = 3  # no schema-id frame where Avro is declared
    BREAKS_SCHEMA = 4
    NOT_VALIDATED = 5  # the validator is missing on the worker


@dataclass(frozen=True, slots=True)
class Judged:
    """Decoding came to this; see `conditions/decoding.py`."""

    part: Part
    outcome: Outcome

    @property
    def reads(self) -> Columns:
        return frozenset({self.part})


@dataclass(frozen=True, slots=True)
class NotOfFormat:
    """The value's bytes are no JSON text, or no UTF-8. A schema-id frame is another matter: see `Framed`."""

    format: Literal["json", "string"]
    reads: ClassVar[Columns] = VALUE


@dataclass(frozen=True, slots=True)
class Framed:
    """The value starts with a schema-id frame: a zero byte and four more."""

    reads: ClassVar[Columns] = VALUE


@dataclass(frozen=True, slots=True)
class Unframed:
    """The value starts with no schema-id frame. Null values are not judged."""

    reads: ClassVar[Columns] = VALUE


@dataclass(frozen=True, slots=True)
class HeaderMissing:
    """The record has no header of this name, or only such without a value."""

    names: tuple[str, ...]
    reads: ClassVar[Columns] = HEADERS


@dataclass(frozen=True, slots=True)
class HeadersTooLarge:
    """Names (as UTF-8) and values of all headers together have more bytes than this."""

    max_bytes: int
    reads: ClassVar[Columns] = HEADERS


@dataclass(frozen=True, slots=True)
class OutsideShare:
    """The record is not among those that a declared share chooses."""

    share: Share
    reads: ClassVar[Columns] = frozenset()


@dataclass(frozen=True, slots=True)
class WithinShare:
    """The condition holds and the record is in the share."""

    share: Share
    condition: NotOfFormat | Framed

    @property
    def reads(self) -> Columns:
        return self.condition.reads


# The conditions below look at the records before, and one at the next: those of the same partition in the scanned
# range, by offset.
# Where the scope is the key, only records with the same key; a record without a key then fulfils none of them.
Scope = Literal["key", "partition"]


@dataclass(frozen=True, slots=True)
class FirstOfKey:
    """No record before has this key. Counted over a partition it is the number of its distinct keys."""

    reads: ClassVar[Columns] = KEY


@dataclass(frozen=True, slots=True)
class NumberField:
    """A field of the JSON value read as a number; for `time` also the text of a moment. Numbers are exact, of any size.

    A number is an optional minus, digits, maybe a fraction, maybe an exponent of up to nine digits: `17`, `"0017"`,
    `1772359200.25`, `1.7E9`. A moment is a date, maybe with a time of day, seconds, a fraction and a zone, in UTC where
    it names none, and counts in seconds since 1970: `2026-03-01`, `2026-03-01T10:00Z`, `2026-03-01 12:30:15.25+02:00`,
    `2026-03-01t12:30:15z`. A text that is neither, or a missing field, is no number.
    """

    path: tuple[str, ...]
    time: bool = False


@dataclass(frozen=True, slots=True)
class NoNumber:
    """The field of the value holds no number, so the record has no place in an order. Null values count too."""

    field: NumberField
    reads: ClassVar[Columns] = VALUE


@dataclass(frozen=True, slots=True)
class IsMoment:
    """The field is the text of a moment, not a number."""

    field: NumberField
    reads: ClassVar[Columns] = VALUE


@dataclass(frozen=True, slots=True)
class Behind:
    """The field's number is smaller than the largest before of its kind: moments are compared with moments only."""

    field: NumberField
    scope: Scope

    @property
    def reads(self) -> Columns:
        return _within(self.scope, VALUE)


@dataclass(frozen=True, slots=True)
class Repeated:
    """The field's number equals the largest before of its kind."""

    field: NumberField
    scope: Scope

    @property
    def reads(self) -> Columns:
        return _within(self.scope, VALUE)


@dataclass(frozen=True, slots=True)
class Older:
    """The record's timestamp is smaller than the largest before."""

    scope: Scope

    @property
    def reads(self) -> Columns:
        return _within(self.scope, TIMESTAMP)


@dataclass(frozen=True, slots=True)
class SameAsBefore:
    """The latest record before with the same key has the same value and the same timestamp.

    Values are compared by their length and a 64-bit hash. A null value equals another one, not an empty one.
    """

    reads: ClassVar[Columns] = KEY | VALUE | TIMESTAMP


@dataclass(frozen=True, slots=True)
class SupersededOverdue:
    """The next record with the same key, in the same partition, has a timestamp before this moment.

    So this record was superseded before this moment, and compaction should have removed it. Its own age says nothing:
    a record of last year may have been superseded just now.
    """

    before_ms: int
    reads: ClassVar[Columns] = KEY | TIMESTAMP


@dataclass(frozen=True, slots=True)
class InFuture:
    """The record's timestamp is after this moment."""

    after_ms: int
    reads: ClassVar[Columns] = TIMESTAMP


@dataclass(frozen=True, slots=True)
class NotTimestampType:
    """The Kafka source's `timestampType`: 0 is CreateTime, 1 is LogAppendTime."""

    type: Literal[0, 1]
    reads: ClassVar[Columns] = frozenset({"timestampType"})


def _of_table(table: Table) -> Columns:
    return KEY | TIMESTAMP if isinstance(table, ExpressionTable) else KEY


def _within(scope: Scope, columns: Columns) -> Columns:
    return columns | KEY if scope == "key" else columns


OfHeaders = HeaderMissing | HeadersTooLarge
Stateful = FirstOfKey | Behind | Repeated | Older | SameAsBefore | SupersededOverdue
Condition = (
    Misplaced
    | Undetermined
    | MisplacedByTable
    | NotInTable
    | NoPlaceInTable
    | NullKey
    | EmptyKey
    | NullValue
    | Tombstone
    | NotOfType
    | DiffersFromField
    | DecodedDiffersFromField
    | Judged
    | NotOfFormat
    | Framed
    | Unframed
    | OfHeaders
    | OutsideShare
    | WithinShare
    | NoNumber
    | IsMoment
    | InFuture
    | NotTimestampType
    | Stateful
)


Meaning = Literal["violation", "unjudged", "exempt", "counted"]


@dataclass(frozen=True, slots=True)
class RowTest:
    """A condition and what it means for the check where it holds.

    | meaning | the record |
    |---|---|
    | violation | breaks the declaration |
    | unjudged | falls under the declaration, but the check cannot tell whether it breaks it |
    | exempt | does not fall under the declaration: the check says nothing about it |
    | counted | is counted, and no more |

    A violation counts as that, whatever else holds; what is exempt is not unjudged as well. `expected` says what a
    violating record should have been; without it, what the check says of itself is shown.
    """

    name: str
    condition: Condition
    meaning: Meaning = "violation"
    expected: str = field(default="", compare=False)


@dataclass(frozen=True, slots=True)
class KeyQuestion:
    """Which keys lie in more than one partition within one era? Asked of all records in a query of its own.

    Keys that `open_to` ties to no partition are left out, as are records without a key.
    """

    eras: tuple[Era, ...]
    open_to: HashPartitioner | ExpressionTable | None = None
