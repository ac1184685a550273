"""How far a scan is, asked of Spark while it works."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from .offsets import Pinned

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

PERIOD_S = 0.5


@dataclass(frozen=True, slots=True)
class Progress:
    """`offsets` is how many were pinned: never fewer than the records in them.

    `records` is estimated from the partitions that are done: the Kafka source does not count while it reads.
    """

    topic: str
    records: int
    offsets: int


Listener = Callable[[Progress], None]


@contextmanager
def watched(spark: SparkSession, pinned: Pinned, listener: Listener | None) -> Iterator[None]:
    """Tells the listener at the start, whenever more partitions are done, and at the end."""
    if listener is None:
        yield
        return
    partitions, offsets = len(pinned.filled), sum(part.end - part.start for part in pinned.filled)
    finished = threading.Event()

    def watch() -> None:
        seen = 0
        while not finished.wait(PERIOD_S):
            done = _partitions_done(spark, partitions)
            if done > seen:
                seen = done
                listener(Progress(pinned.topic, offsets * done // partitions, offsets))

    watcher = threading.Thread(target=watch, name="check-progress", daemon=True)
    listener(Progress(pinned.topic, 0, offsets))
    watcher.start()
    try:
        yield
    finally:
        finished.set()
        watcher.join()
    listener(Progress(pinned.topic, offsets, offsets))


def _partitions_done(spark: SparkSession, partitions: int) -> int:
    """Finished tasks of the running scan, which has one task per partition."""
    try:
        tracker = spark.sparkContext.statusTracker()
        stages = [tracker.getStageInfo(stage) for stage in tracker.getActiveStageIds()]
    except Exception:  # noqa: BLE001 - progress is a courtesy; Spark Connect has no tracker
        return 0
    return max((s.numCompletedTasks for s in stages if s is not None and s.numTasks == partitions), default=0)
