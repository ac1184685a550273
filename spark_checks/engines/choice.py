"""Which engine answers the conditions: the compiled one where the session can run it, else Spark's own functions.

Both give the same `Tally` for the same records.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import ExitStack
from typing import TYPE_CHECKING, Protocol

from ..conditions.decoding import Decoding
from ..conditions.record import Condition, KeyQuestion, Misplaced, MisplacedByTable
from ..results.scan import NOTHING, Tally, Wanted
from .columns.conditions import Hashes
from .compiled import CompiledEngine, compiled_engine
from .pure import PureEngine

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession


class Engine(Protocol):
    """Answers conditions about the records of a frame: bit i of a mask is condition i.

    `records` and `keys` must be asked only of a frame of which the engine has given a tally.
    """

    def tally(
        self, frame: DataFrame, conditions: Sequence[Condition], *, hot_keys: bool, wanted: Wanted = NOTHING
    ) -> Tally: ...

    def records(
        self,
        frame: DataFrame,
        conditions: Sequence[Condition],
        placed: Misplaced | MisplacedByTable | None = None,
    ) -> DataFrame:
        """Every record for which one of the conditions holds; `PureEngine.records` has the columns.

        A record may have several rows, each with other bits of its mask: only a later record decides some.
        """
        ...

    def keys(self, frame: DataFrame, question: KeyQuestion, views: ExitStack | None = None) -> DataFrame:
        """Where the keys lie, as `key_places` takes it. With `views`, the frame lasts as long as they do."""
        ...


def best_engine(spark: SparkSession, hashes: Hashes) -> Engine:
    """Tried rather than guessed: whatever keeps the compiled engine from working, the pure one answers the same."""
    return compiled_engine(spark, hashes) or PureEngine(hashes)


def seeking(engine: Engine, decoding: Decoding, conditions: Sequence[Condition]) -> CompiledEngine | None:
    """The engine, if it reads blocks of a topic without what lies between them: where it can judge the bare records."""
    if isinstance(engine, CompiledEngine) and decoding == Decoding() and engine.seeks(conditions):
        return engine
    return None
