"""How far a scan is, asked of Spark while it works."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

from pyspark.errors import PySparkException

from .ranges import Pinned

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

PERIOD_S = 0.5


@dataclass(frozen=True, slots=True)
class Progress:
    """`offsets` is how many were pinned: never fewer than the records in them.

    `records` are those read so far where the engine counts them, else estimated from the partitions that are done:
    the Kafka source does not count while it reads.
    """

    topic: str
    records: int
    offsets: int


Listener = Callable[[Progress], None]
Count = Callable[["SparkSession"], int | None]


class _Watch(Protocol):
    """What can be seen of a running scan."""

    def records(self) -> int: ...
    def tasks_done(self) -> int: ...
    def end(self) -> None: ...


@contextmanager
def watched(spark: SparkSession, pinned: Pinned, listener: Listener | None, count: Count) -> Iterator[None]:
    """Calls the listener at the start, whenever more was read, and at the end.

    `count` gives the records that the engine has read so far in this process, None where nobody counts.
    """
    if listener is None:
        yield
        return
    tasks, offsets = len(pinned.filled), sum(part.offsets for part in pinned.filled)
    finished = threading.Event()
    scan = _watch(spark, tasks, count)

    def watch() -> None:
        seen = 0
        while not finished.wait(PERIOD_S):
            # Compacted offsets are never counted as records, so whole partitions may be further than those.
            done = min(offsets, max(scan.records(), offsets * scan.tasks_done() // tasks))
            if done > seen:
                seen = done
                listener(Progress(pinned.topic, done, offsets))

    watcher = threading.Thread(target=watch, name="check-progress", daemon=True)
    listener(Progress(pinned.topic, 0, offsets))
    watcher.start()
    try:
        yield
    finally:
        finished.set()
        watcher.join()
        scan.end()
    listener(Progress(pinned.topic, offsets, offsets))


def _watch(spark: SparkSession, tasks: int, count: Count) -> _Watch:
    try:
        return _ClassicWatch(spark, spark.sparkContext, tasks, count)
    except PySparkException:  # Spark Connect has no SparkContext
        return _ConnectWatch(spark, tasks)


class _ClassicWatch:
    def __init__(self, spark: SparkSession, context: Any, tasks: int, count: Count) -> None:
        self._spark = spark
        self._context = context
        self._tasks = tasks
        self._count = count
        self._before = self._count(spark) or 0

    def records(self) -> int:
        with suppress(Exception):  # progress is a courtesy
            return (self._count(self._spark) or 0) - self._before
        return 0

    def tasks_done(self) -> int:
        """Of the running scan, which has one task for each range."""
        with suppress(Exception):
            tracker = self._context.statusTracker()
            stages = [tracker.getStageInfo(stage) for stage in tracker.getActiveStageIds()]
            return max((s.numCompletedTasks for s in stages if s is not None and s.numTasks == self._tasks), default=0)
        return 0

    def end(self) -> None:
        pass


class _ConnectWatch:
    """The server reports on its own how far the stages are."""

    def __init__(self, spark: SparkSession, tasks: int) -> None:
        self._spark: Any = spark
        self._tasks = tasks
        self._done = 0
        with suppress(Exception):
            self._spark.registerProgressHandler(self._reported)

    def records(self) -> int:
        return 0

    def tasks_done(self) -> int:
        return self._done

    def end(self) -> None:
        with suppress(Exception):
            self._spark.removeProgressHandler(self._reported)

    def _reported(self, stages: Iterable[Any] | None, **_: object) -> None:
        for stage in stages or ():
            if stage.num_tasks == self._tasks:
                self._done = max(self._done, int(stage.num_completed_tasks))
