"""One configured provider: its settings, its connection, and whether the run goes on."""

from __future__ import annotations

import asyncio
import threading
import time
from dataclasses import replace
from typing import TYPE_CHECKING

from kafka_topology.cluster.outcomes import ClusterUnreachableError, Failure, FailureKind

from ..config.settings import why_other_cluster
from ..resources.base import OperationError
from .neighbours import Neighbours
from .run import Run

if TYPE_CHECKING:
    from collections.abc import Callable

    from kafka_topology.provider.resources.admin import Admin

    from ..config.settings import Settings

# The engine asks for one resource after the other: a broken cluster must not cost a timeout for each.
_REMEMBER_FAILURE = 30.0
_LONGEST_COPY = 7 * 24 * 3600.0


class Session:
    """Connects on first use, so a preview without changes needs no cluster."""

    def __init__(
        self,
        settings: Settings,
        connect: Callable[[Settings], Admin],
        report: Callable[[str], None] = lambda _: None,
        engine: str = "",
    ) -> None:
        self.settings = settings
        self.report = report
        self.run = Run()
        self.neighbours = Neighbours(engine)
        self._connect = connect
        self._lock = asyncio.Lock()
        self._admin: Admin | None = None
        self._failure: tuple[float, str] | None = None
        self._wrong_cluster: Failure | None = None
        self._cancelled = threading.Event()
        self._deletes = 0
        self._planned = 0
        self._vanished: set[str] = set()

    async def admin(self) -> Admin:
        async with self._lock:
            if self._admin is not None:
                return self._admin
            if self._failure is not None and time.monotonic() < self._failure[0]:
                raise OperationError(Failure(FailureKind.UNREACHABLE, self._failure[1]))
            if self._wrong_cluster is not None:
                raise OperationError(self._wrong_cluster)
            try:
                admin = await asyncio.to_thread(self._connect, self.settings)
            except ClusterUnreachableError as error:
                self._failure = (time.monotonic() + _REMEMBER_FAILURE, str(error))
                raise OperationError(Failure(FailureKind.UNREACHABLE, str(error))) from error
            expected = self.settings.cluster_id
            if expected and admin.cluster_id != expected:
                self._wrong_cluster = Failure(
                    FailureKind.REFUSED, why_other_cluster(self.settings, expected, admin.cluster_id)
                )
                await asyncio.to_thread(admin.close)
                raise OperationError(self._wrong_cluster)
            self._admin = admin
            return admin

    def take_over(self, other: Session | None) -> None:
        """Takes over the connection of another session if that has the same settings."""
        if other is not None and replace(other.settings, cluster_id=self.settings.cluster_id) == self.settings:
            self._admin, other._admin = other._admin, None  # noqa: SLF001 - of the same class

    @property
    def cluster_id(self) -> str | None:
        """The id of the connected cluster, or of the expected one before the connection."""
        return self._admin.cluster_id if self._admin is not None else self.settings.cluster_id

    def deadline(self, timeout: float) -> float:
        """When an operation must be done. The engine sends 0 if the user set no timeout."""
        return time.monotonic() + (timeout or self.settings.operation_timeout)

    def long_deadline(self, timeout: float) -> float:
        """The deadline for copying data, which has no limit by default."""
        return time.monotonic() + (timeout or _LONGEST_COPY)

    def pause(self, seconds: float) -> bool:
        return not self._cancelled.wait(seconds)

    def cancel(self) -> None:
        self._cancelled.set()

    def close(self) -> None:
        """Call it only when no operation is running."""
        self.neighbours.close()
        if self._admin is not None:
            self._admin.close()

    def stop_if_cancelled(self) -> None:
        if self._cancelled.is_set():
            raise OperationError(Failure(FailureKind.CANCELLED, "The run was cancelled."))

    def plan_delete(self, what: str) -> None:
        """Counts a planned deletion. Raises if the run would exceed maxDeletes."""
        self._planned += 1
        if self._planned > self.settings.max_deletes:
            raise OperationError(Failure(FailureKind.REFUSED, self._too_many(what, f"would delete {self._planned}")))

    def reserve_delete(self, what: str) -> None:
        """Counts a deletion. Raises beyond maxDeletes, so a mistake cannot empty a cluster."""
        if self._deletes >= self.settings.max_deletes:
            raise OperationError(Failure(FailureKind.REFUSED, self._too_many(what, f"has deleted {self._deletes}")))
        self._deletes += 1

    def _too_many(self, what: str, count: str) -> str:
        return (
            f"{what} is not deleted: this run {count} and maxDeletes is {self.settings.max_deletes}. If that is what "
            "you want, raise 'pulumi config set kafka-topology:maxDeletes' or delete in several steps."
        )

    def note_vanished(self, what: str) -> None:
        """Notes something that is gone although this stack did not delete it."""
        self._vanished.add(what)

    def has_vanished(self, what: str) -> bool:
        return what in self._vanished

    def release_delete(self) -> None:
        self._deletes -= 1
