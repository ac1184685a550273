"""A Spark Connect server that is gone: tried again for seconds, not for the ten minutes of its client."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from contextlib import suppress
from typing import TYPE_CHECKING, Any, cast

from .spark_errors import spark_failures

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

LONGEST_S = 15.0  # a server behind a restarted proxy is back by then
STOPPING_S = 5.0


class Outage:
    """Whether to wait for the server: for the same time altogether, however many requests fail meanwhile."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._began = self._last = -2 * LONGEST_S

    def may_end(self) -> bool:
        """After a failed request. One that comes long after the last one begins another outage."""
        now = self._clock()
        if now - self._last > LONGEST_S:
            self._began = now
        self._last = now
        return now - self._began < LONGEST_S


def give_up_soon(session: SparkSession) -> None:
    """For a session of Spark Connect."""
    from pyspark.sql.connect.client.retries import DefaultPolicy  # noqa: PLC0415 - only with Spark Connect

    outage = Outage()

    class Policy(DefaultPolicy):
        def can_retry(self, e: BaseException) -> bool:
            return super().can_retry(e) and outage.may_end()

    client = cast(Any, session).client  # which only those of Spark Connect have
    client.set_retry_policies([Policy(max_backoff=2_000)])


def stop_soon(session: SparkSession) -> None:
    """Stops the session, but waits for a server that does not answer no longer than a few seconds."""

    def stop() -> None:
        with suppress(*spark_failures()):  # it may be gone already
            session.stop()

    stopping = threading.Thread(target=stop, name="spark-stop", daemon=True)
    stopping.start()
    stopping.join(STOPPING_S)
