"""One configured provider: its settings, its connection, and whether the run goes on."""

from __future__ import annotations

import asyncio
import threading
import time
from typing import TYPE_CHECKING

from .kinds import OperationError
from .outcomes import ClusterUnreachableError, Failure, FailureKind

if TYPE_CHECKING:
    from collections.abc import Callable

    from .admin import Admin
    from .settings import Settings

# The engine asks for every resource in turn: one broken cluster must not cost a timeout for each.
_REMEMBER_FAILURE = 30.0
_LONGEST_COPY = 7 * 24 * 3600.0


class Session:
    """Connects when the cluster is first needed, so that a preview without changes needs none."""

    def __init__(
        self, settings: Settings, connect: Callable[[Settings], Admin], tell: Callable[[str], None] = lambda _: None
    ) -> None:
        self.settings = settings
        self.tell = tell
        self._connect = connect
        self._lock = asyncio.Lock()
        self._admin: Admin | None = None
        self._failure: tuple[float, str] | None = None
        self._cancelled = threading.Event()
        self._deletes = 0

    async def admin(self) -> Admin:
        async with self._lock:
            if self._admin is not None:
                return self._admin
            if self._failure is not None and time.monotonic() < self._failure[0]:
                raise OperationError(Failure(FailureKind.UNREACHABLE, self._failure[1]))
            try:
                self._admin = await asyncio.to_thread(self._connect, self.settings)
            except ClusterUnreachableError as error:
                self._failure = (time.monotonic() + _REMEMBER_FAILURE, str(error))
                raise OperationError(Failure(FailureKind.UNREACHABLE, str(error))) from error
            return self._admin

    def deadline(self, timeout: float) -> float:
        """When an operation must be done; 0 is what the engine sends for "no opinion"."""
        return time.monotonic() + (timeout or self.settings.operation_timeout)

    def long_deadline(self, timeout: float) -> float:
        """For copying data, which takes as long as it takes unless a limit is given."""
        return time.monotonic() + (timeout or _LONGEST_COPY)

    def pause(self, seconds: float) -> bool:
        return not self._cancelled.wait(seconds)

    def cancel(self) -> None:
        self._cancelled.set()

    def close(self) -> None:
        """Once no operation is under way."""
        if self._admin is not None:
            self._admin.close()

    def stop_if_cancelled(self) -> None:
        if self._cancelled.is_set():
            raise OperationError(Failure(FailureKind.CANCELLED, "The run was cancelled."))

    def reserve_delete(self, what: str) -> None:
        """Counts a deletion, or refuses it beyond the cap: a mistake must not empty a cluster."""
        if self._deletes >= self.settings.max_deletes:
            raise OperationError(
                Failure(
                    FailureKind.REFUSED,
                    f"{what} is not deleted: this run has deleted {self._deletes} and maxDeletes "
                    f"is {self.settings.max_deletes}. If that is what you want, raise "
                    "'pulumi config set kafka-topology:maxDeletes' or run 'pulumi up' again.",
                )
            )
        self._deletes += 1

    def release_delete(self) -> None:
        self._deletes -= 1
