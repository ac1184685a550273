"""Live records against the declared keys, on Spark.

`check(spark, topology, bootstrap_servers=…) -> Report`. Nothing here prints or parses YAML, and Spark is imported
only by what needs it, so that the partitioner reference can be used without Spark.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .run import Interrupted, Options, check
    from .selection import Sample, Selection
    from .state import State, parse_state

__all__ = ["Interrupted", "Options", "Sample", "Selection", "State", "check", "parse_state"]
_HOMES = {"Sample": "selection", "Selection": "selection", "State": "state", "parse_state": "state"}


def __getattr__(name: str) -> object:
    if name in __all__:
        return getattr(import_module(f".{_HOMES.get(name, 'run')}", __name__), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
