"""Live records against the declared keys, on Spark.

`check(spark, topology, bootstrap_servers=…) -> Report`. Nothing here prints or parses YAML, and only the modules that
need Spark import it.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .reading.reader import FrameReader, KafkaReader
    from .reading.selection import Sample, Selection
    from .reading.state import State, parse_state
    from .run import Interrupted, Options, check

__all__ = [
    "FrameReader",
    "Interrupted",
    "KafkaReader",
    "Options",
    "Sample",
    "Selection",
    "State",
    "check",
    "parse_state",
]
_HOMES = {
    "FrameReader": "reading.reader",
    "KafkaReader": "reading.reader",
    "Sample": "reading.selection",
    "Selection": "reading.selection",
    "State": "reading.state",
    "parse_state": "reading.state",
}


def __getattr__(name: str) -> object:
    if name in __all__:
        return getattr(import_module(f".{_HOMES.get(name, 'run')}", __name__), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
