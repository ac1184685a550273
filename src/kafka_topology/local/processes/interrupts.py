"""Ctrl-C and termination at the right moment."""

from __future__ import annotations

import signal
import threading
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


def interrupt_on_termination() -> None:
    """Let SIGTERM and SIGHUP clean up like Ctrl-C does. For the main thread of a program."""

    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, interrupt)


@contextmanager
def interrupts_deferred() -> Iterator[None]:
    """Signals that arrive inside are handled at the end. Other threads get none anyway."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    arrived: list[int] = []
    before = {number: signal.signal(number, lambda got, _: arrived.append(got)) for number in _SIGNALS}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
    for got in arrived:
        signal.raise_signal(got)
