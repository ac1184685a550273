"""The hashes as Spark columns without a jar of ours: quick ones on a classic session, portable ones anywhere."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from pyspark.errors import PySparkException
from pyspark.sql import functions as F  # noqa: N812

from .columns import Hashes

if TYPE_CHECKING:
    from pyspark.sql import Column, SparkSession

_MASK = 0xFFFFFFFF
_MURMUR2_FACTOR = 0x5BD1E995
_MURMUR2_CLASS = "org.apache.commons.codec.digest.MurmurHash2"


class BuiltInHashes:
    """Only SQL functions, so it runs on every kind of session, Spark Connect included. Exact, not quick."""

    def crc32(self, key: Column) -> Column:
        return F.crc32(key)

    def murmur2(self, key: Column) -> Column:
        length = F.length(key).cast("bigint")
        words = F.floor(length / 4)

        def mix_word(value: Column, index: Column) -> Column:
            word = _with(_times(_word(key, index)), lambda each: _times(_folded(each, 24)))
            return _times(value).bitwiseXOR(word)

        def add_tail(value: Column) -> Column:
            # Bytes past the end read as zero, so the tail is a short word.
            return F.when(length % 4 > 0, _times(value.bitwiseXOR(_word(key, words)))).otherwise(value)

        value = F.aggregate(_indexes(words), F.lit(0x9747B28C).bitwiseXOR(length), mix_word)
        value = _with(value, add_tail)
        value = _with(value, lambda each: _times(_folded(each, 13)))
        return _with(value, lambda each: _folded(each, 15))

    def fnv1a(self, key: Column) -> Column:
        def mix_byte(value: Column, index: Column) -> Column:
            mixed = value.bitwiseXOR(_byte(key, index)) * F.lit(0x01000193)
            return mixed.bitwiseAND(F.lit(_MASK))

        return F.aggregate(_indexes(F.length(key)), F.lit(0x811C9DC5), mix_byte)


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


def best_hashes(spark: SparkSession) -> Hashes:
    """Compiled where the session allows it, tried rather than guessed."""
    try:
        compiled = CompiledHashes(spark)
    except PySparkException:  # Spark Connect has no SparkContext
        return BuiltInHashes()
    return compiled if compiled.works() else BuiltInHashes()


def _times(value: Column) -> Column:
    """Times murmur2's factor, 32 bits kept. The factor has 31 bits, so the product fits a bigint."""
    return (value * F.lit(_MURMUR2_FACTOR)).bitwiseAND(F.lit(_MASK))


def _folded(value: Column, bits: int) -> Column:
    return value.bitwiseXOR(F.shiftrightunsigned(value, bits))


def _with(value: Column, then: Callable[[Column], Column]) -> Column:
    """Names a value: SQL has no `let`, and an expression used twice in another is computed twice."""
    return F.element_at(F.transform(F.array(value), then), 1)


def _indexes(count: Column) -> Column:
    """0 … count - 1, null for null. `sequence` would count downwards from 0 to -1."""
    none = F.array().cast("array<bigint>")
    return F.when(count == 0, none).otherwise(F.sequence(F.lit(0).cast("bigint"), count.cast("bigint") - 1))


def _byte(key: Column, index: Column) -> Column:
    """The byte at an index as a number, 0 past the end."""
    return F.ascii(F.decode(F.substring(key, (index + 1).cast("int"), F.lit(1)), "ISO-8859-1")).cast("bigint")


def _word(key: Column, index: Column) -> Column:
    """The four bytes of a word, the first one lowest."""
    first = index * 4
    word = _byte(key, first)
    for place in (1, 2, 3):
        word = word.bitwiseOR(F.shiftleft(_byte(key, first + place), 8 * place))
    return word
