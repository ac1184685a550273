"""Runs the rest of this program in a child process, and says so when a signal ended it."""

from __future__ import annotations

import faulthandler
import os
import signal
import sys
import threading

from .exits import Exit

_FROM_THE_KERNEL = 0x80  # how Linux marks a signal of the terminal, which the child gets as well
_WAITED = ("SIGCHLD", "SIGINT", "SIGTERM", "SIGHUP")


def supervised(what: str) -> None:
    """Returns only in the child, which does the work. Returns at once on systems that cannot watch a child.

    Call it before starting threads and loading libraries: a child has one thread, and locks of the others stay held.
    """
    if not hasattr(os, "fork") or not hasattr(signal, "sigwaitinfo"):
        return
    sys.stdout.flush()
    sys.stderr.flush()
    watched = {getattr(signal, name) for name in _WAITED}
    before = signal.pthread_sigmask(signal.SIG_BLOCK, watched)  # no signal before the wait may get lost
    for_child, of_parent = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(of_parent)
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
        faulthandler.enable()
        _end_with_parent(for_child)
        return
    os.close(for_child)
    code = _wait(child, watched)
    signal.pthread_sigmask(signal.SIG_SETMASK, before)
    _end_like(code, what)


def _end_with_parent(pipe: int) -> None:
    """Ends this process when the parent, which holds the other end of the pipe, is gone."""

    def watch() -> None:
        os.read(pipe, 1)
        os.kill(os.getpid(), signal.SIGTERM)

    threading.Thread(target=watch, name="parent", daemon=True).start()


def _wait(child: int, watched: set[signal.Signals]) -> int:
    """How the child ended. Passes on signals that reached only this process."""
    while True:
        ended, status = os.waitpid(child, os.WNOHANG)
        if ended:
            return os.waitstatus_to_exitcode(status)
        came = signal.sigwaitinfo(watched)
        if came.si_signo != signal.SIGCHLD and came.si_code != _FROM_THE_KERNEL:
            os.kill(child, came.si_signo)


def _end_like(code: int, what: str) -> None:
    if code >= 0:
        os._exit(code)  # the child has flushed and cleaned up; nothing is left to do here
    number = signal.Signals(-code)
    if number in {signal.SIGINT, signal.SIGTERM, signal.SIGHUP}:
        # Somebody asked the program to end: end by the same signal, as without a child.
        signal.signal(number, signal.SIG_DFL)
        os.kill(os.getpid(), number)
    sys.stderr.write(
        f"{what} could not check anything: {number.name} ended its process. Ignore what it printed. The usual cause is "
        "a bug in a Kafka client library, or too little memory. Run it again; if it fails again, please report it with "
        "the lines above.\n"
    )
    sys.stderr.flush()
    os._exit(Exit.COULD_NOT_CHECK)
