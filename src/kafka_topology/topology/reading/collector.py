"""Python's cyclic collector, held back where it only costs time."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def many_new_objects() -> Iterator[None]:
    """While very many objects are made that stay: the collector would walk them again and again, and free nothing."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()
