"""Which engine answers the conditions: the compiled one where the session can run it, else Spark's own functions.

Both give the same `Tally` for the same records.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol

from ..conditions.record import Condition
from ..results.scan import NOWHERE, Located, Overflow, Tally
from .columns.conditions import Hashes
from .compiled import compiled_engine
from .pure import PureEngine

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession


class Engine(Protocol):
    """Reads the frame once and answers every condition: bit i of a group's mask is condition i."""

    def tally(
        self, frame: DataFrame, conditions: Sequence[Condition], *, hot_keys: bool, located: Located = NOWHERE
    ) -> Tally | Overflow: ...


def best_engine(spark: SparkSession, hashes: Hashes) -> Engine:
    """Tried rather than guessed: whatever keeps the compiled engine from working, the pure one answers the same."""
    return compiled_engine(spark, hashes) or PureEngine(hashes)


def tally(
    engine: Engine,
    frame: DataFrame,
    conditions: Sequence[Condition],
    hashes: Hashes,
    *,
    hot_keys: bool,
    located: Located = NOWHERE,
) -> tuple[Tally, tuple[str, ...]]:
    """The engine's answer, or the pure engine's where the other one gives up; then a note says why it took longer."""
    answer = engine.tally(frame, conditions, hot_keys=hot_keys, located=located)
    if isinstance(answer, Tally):
        return answer, ()
    note = f"read twice: {answer.reason}"
    return PureEngine(hashes).tally(frame, conditions, hot_keys=hot_keys, located=located), (note,)
