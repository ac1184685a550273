"""How far a scan is, asked of Spark while it works."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

PERIOD_S = 0.5


@dataclass(frozen=True, slots=True)
class Progress:
    """`offsets` is how many offsets were pinned: never fewer than the records in them."""

    topic: str
    records: int
    offsets: int


Listener = Callable[[Progress], None]


@contextmanager
def watched(spark: SparkSession, topic: str, offsets: int, listener: Listener | None) -> Iterator[None]:
    """Tells the listener now, every half second, and at the end."""
    if listener is None:
        yield
        return
    done = threading.Event()

    def watch() -> None:
        while not done.wait(PERIOD_S):
            records = _records_read(spark)
            if records is not None and not done.is_set():
                listener(Progress(topic, min(records, offsets), offsets))

    watcher = threading.Thread(target=watch, name="check-progress", daemon=True)
    listener(Progress(topic, 0, offsets))
    watcher.start()
    try:
        yield
    finally:
        done.set()
        watcher.join()


def _records_read(spark: SparkSession) -> int | None:
    """Records the running stages have read; None where the session does not tell (Spark Connect)."""
    try:
        stages = spark.sparkContext._jsc.sc().statusStore().activeStages()  # noqa: SLF001 - no public way
        return sum(int(stages.apply(index).inputRecords()) for index in range(stages.size()))
    except Exception:  # noqa: BLE001 - progress is a courtesy and must never fail a check
        return None
