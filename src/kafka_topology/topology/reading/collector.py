"""Pauses Python's cyclic garbage collector where it only costs time."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def many_new_objects() -> Iterator[None]:
    """While creating many long-lived objects: the collector would walk them repeatedly and free nothing."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()
