"""The hashes as Spark columns: quick ones where the session allows it, portable ones anywhere."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pyspark.errors import PySparkException
from pyspark.sql import functions as F  # noqa: N812

from ..given_jar import takes_jar
from .conditions import Hashes

if TYPE_CHECKING:
    from pyspark.sql import Column, SparkSession

_MASK = 0xFFFFFFFF
_MURMUR2_FACTOR = 0x5BD1E995
_FUNCTION = "kafka_topology_murmur2"
_MURMUR2_CLASS = "org.apache.commons.codec.digest.MurmurHash2"


class BuiltInHashes:
    """Only SQL functions, so it runs on every kind of session, Spark Connect included. Exact, not quick.

    Written as SQL text: as columns, murmur2 is nested deeper than the client of Spark Connect can send.
    """

    def crc32(self, key: Column) -> Column:
        return F.crc32(key)

    def murmur2(self, key: Column) -> Column:
        return _of(key, _murmur2("k"))

    def fnv1a(self, key: Column) -> Column:
        return _of(key, _fnv1a("k"))


class CompiledHashes(BuiltInHashes):
    """Murmur2 by a class that ships with Spark, called from generated code: as quick as a built-in.

    Spark has no public way to call a static method with a binary argument, hence the catalyst expression.
    It exists in the driver's own JVM only, so a Spark Connect session cannot use it.
    """

    def __init__(self, spark: SparkSession) -> None:
        self._jvm: Any = spark.sparkContext._jvm  # noqa: SLF001 - see above

    def murmur2(self, key: Column) -> Column:
        from pyspark.sql.classic.column import Column as ClassicColumn  # noqa: PLC0415

        bridge = self._jvm.org.apache.spark.sql.classic.ExpressionUtils
        call = self._call(*(bridge.expression(part._jc) for part in (key, F.length(key))))  # noqa: SLF001
        signed: Column = ClassicColumn(bridge.column(call))
        return signed.cast("bigint").bitwiseAND(F.lit(_MASK))

    def works(self) -> bool:
        """Whether this Spark calls the class as expected: one known key, evaluated without a job."""
        try:
            literal = self._jvm.org.apache.spark.sql.catalyst.expressions.Literal
            types = self._jvm.org.apache.spark.sql.types.DataTypes
            call = self._call(literal(b"21", types.BinaryType), literal(2, types.IntegerType))
            return bool(call.eval(None) == -973932308)
        except Exception:  # noqa: BLE001 - whatever is missing, the built-ins give the same answers
            return False

    def _call(self, *arguments: Any) -> Any:
        jvm = self._jvm
        sequence = jvm.org.apache.spark.api.python.PythonUtils.toSeq
        return jvm.org.apache.spark.sql.catalyst.expressions.objects.StaticInvoke(
            jvm.java.lang.Class.forName(_MURMUR2_CLASS),
            jvm.org.apache.spark.sql.types.DataTypes.IntegerType,
            "hash32",
            sequence(list(arguments)),
            sequence([]),
            True,  # a null key gives null
            True,  # a key always gives a hash
            True,  # and always the same one
            jvm.scala.Option.empty(),
        )


class JarHashes(BuiltInHashes):
    """Murmur2 by a function of our jar, for sessions that take it and have no other quick one."""

    def __init__(self, spark: SparkSession) -> None:
        spark.udf.registerJavaFunction(_FUNCTION, "kafkatopology.scan.Murmur2", "bigint")

    def murmur2(self, key: Column) -> Column:
        return F.call_function(_FUNCTION, key)


def best_hashes(spark: SparkSession) -> Hashes:
    """The quickest that the session allows, tried rather than guessed."""
    try:
        compiled = CompiledHashes(spark)
    except PySparkException:  # Spark Connect has no SparkContext
        return JarHashes(spark) if takes_jar(spark) else BuiltInHashes()
    return compiled if compiled.works() else BuiltInHashes()


def _of(key: Column, sql: str) -> Column:
    """An expression in SQL, about `k`."""
    return F.element_at(F.call_function("transform", F.array(key), F.expr(f"k -> {sql}")), 1)


def _murmur2(key: str) -> str:
    mixed = _times(_folded("w", 24))
    each_word = _let("w", _times(_word(key, "i")), f"({_times('h')} ^ {mixed})")
    start = f"({0x9747B28C}L ^ cast(length({key}) as bigint))"
    words = f"(length({key}) div 4)"
    all_words = f"aggregate({_indexes(words)}, {start}, (h, i) -> {each_word})"
    # Bytes past the end read as zero, so the tail is a short word.
    tail = _times(f"(h ^ {_word(key, words)})")
    with_tail = _let("h", all_words, f"if(length({key}) % 4 > 0, {tail}, h)")
    return _let("h", _let("h", with_tail, _times(_folded("h", 13))), _folded("h", 15))


def _fnv1a(key: str) -> str:
    mixed = f"(((h ^ {_byte(key, 'i')}) * {0x01000193}L) & {_MASK}L)"
    return f"aggregate({_indexes(f'length({key})')}, {0x811C9DC5}L, (h, i) -> {mixed})"


def _times(value: str) -> str:
    """Times murmur2's factor, 32 bits kept. The factor has 31 bits, so the product fits a bigint."""
    return f"(({value} * {_MURMUR2_FACTOR}L) & {_MASK}L)"


def _folded(value: str, bits: int) -> str:
    return f"({value} ^ shiftrightunsigned({value}, {bits}))"


def _let(name: str, value: str, then: str) -> str:
    """Names a value: SQL has no `let`, and an expression used twice in another is computed twice."""
    return f"element_at(transform(array({value}), {name} -> {then}), 1)"


def _indexes(count: str) -> str:
    """0 … count - 1, null for null. `sequence` would count downwards from 0 to -1."""
    return f"if({count} = 0, cast(array() as array<bigint>), sequence(0L, cast({count} as bigint) - 1L))"


def _byte(key: str, index: str) -> str:
    """The byte at an index as a number, 0 past the end."""
    return f"cast(ascii(decode(substring({key}, cast({index} + 1 as int), 1), 'ISO-8859-1')) as bigint)"


def _word(key: str, index: str) -> str:
    """The four bytes of a word, the first one lowest."""
    parts = (f"shiftleft({_byte(key, f'({index}) * 4 + {place}')}, {8 * place})" for place in range(4))
    return "(" + " | ".join(parts) + ")"
