"""Ctrl-C while Spark works: ends the work's jobs, waits until it is over, and leaves the session usable."""

from __future__ import annotations

import contextvars
import signal
import threading
import uuid
from collections.abc import Callable, Iterator
from concurrent.futures import Future, wait
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any, TypeVar

from pyspark.errors import PySparkException

from .spark_errors import spark_failures

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

T = TypeVar("T")

PATIENCE_S = 10.0  # for cancelled work; Spark cannot cancel the last step of a write, which moves its files
_AGAIN_S = 0.2


class StillRunning(KeyboardInterrupt):
    """Interrupted, and Spark has not ended the work: what it does may still happen."""


def interruptibly(spark: SparkSession, work: Callable[[], T]) -> T:
    """The result of `work`, whose Spark jobs end on Ctrl-C: then raises `KeyboardInterrupt` after the work is over.

    Raises `StillRunning` if it is not over in time, or at once on a second Ctrl-C.

    The work runs in a thread of its own, because signals only reach the main one. An exception inside a call to Java
    would lose its answer, and nobody would know what becomes of the call: one that has not started its job yet starts
    it after all jobs were cancelled. Called from another thread than the main one, the work is done there.
    """
    if threading.current_thread() is not threading.main_thread():
        return work()
    with ctrl_c_raises():
        outcome: Future[T] = Future()
        jobs = _jobs(spark)
        context = contextvars.copy_context()

        def run() -> None:
            if not outcome.set_running_or_notify_cancel():
                return
            try:
                jobs.begin()
                outcome.set_result(context.run(work))
            except BaseException as error:  # noqa: BLE001 - raised again by whoever waits
                outcome.set_exception(error)

        try:
            threading.Thread(target=run, name="spark-work", daemon=True).start()
            return outcome.result()
        except KeyboardInterrupt:
            if not _ended(outcome, jobs):
                raise StillRunning from None
            raise


@contextmanager
def ctrl_c_raises() -> Iterator[None]:
    """Ctrl-C raises `KeyboardInterrupt` and nothing else.

    Spark's own handler cancels jobs by the connection that the interrupted call still reads from: that fails, and the
    interruption comes out as a network error.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


def _ended(outcome: Future[Any], jobs: _Jobs) -> bool:
    """Cancels again and again: between two jobs of the work there is nothing to cancel.

    Another thread does it, so that a second Ctrl-C finds no call to Java in this one.
    """
    if outcome.cancel():  # it had not begun
        return True

    def cancel() -> None:
        while not outcome.done():
            with suppress(*spark_failures(), AttributeError):  # Spark may be gone
                jobs.cancel()
            wait([outcome], _AGAIN_S)

    with suppress(KeyboardInterrupt):
        threading.Thread(target=cancel, name="spark-cancel", daemon=True).start()
        wait([outcome], PATIENCE_S)
    return outcome.done()


class _ClassicJobs:
    """The jobs of one thread, by a tag. They get what the thread that made this has: its pool, its `ADD JAR`."""

    def __init__(self, spark: SparkSession, context: Any) -> None:
        self._spark = spark
        self._context = context
        self._tag = f"kafka-topology-{uuid.uuid4().hex}"
        self._tags = spark.getTags()
        self._properties = context._jsc.sc().getLocalProperties().clone()  # noqa: SLF001 - as PySpark's own threads do
        self._classes = self._java_thread().getContextClassLoader()

    def begin(self) -> None:
        self._java_thread().setContextClassLoader(self._classes)
        self._context._jsc.sc().setLocalProperties(self._properties)  # noqa: SLF001
        for tag in self._tags:
            self._spark.addTag(tag)
        self._context.addJobTag(self._tag)

    def cancel(self) -> None:
        self._context.cancelJobsWithTag(self._tag)

    def _java_thread(self) -> Any:
        return self._context._jvm.java.lang.Thread.currentThread()  # noqa: SLF001 - there is no public way to it


class _ConnectJobs:
    """The operations of one thread on a Spark Connect server."""

    def __init__(self, spark: SparkSession) -> None:
        self._spark = spark
        self._tag = f"kafka-topology-{uuid.uuid4().hex}"
        self._tags = spark.getTags()

    def begin(self) -> None:
        for tag in (*self._tags, self._tag):
            self._spark.addTag(tag)

    def cancel(self) -> None:
        self._spark.interruptTag(self._tag)


_Jobs = _ClassicJobs | _ConnectJobs


def _jobs(spark: SparkSession) -> _Jobs:
    try:
        return _ClassicJobs(spark, spark.sparkContext)
    except PySparkException:  # Spark Connect has no SparkContext
        return _ConnectJobs(spark)
