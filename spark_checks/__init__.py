"""Live records against the declared keys, on Spark.

`check(spark, topology, bootstrap_servers=…) -> Report`. Nothing here prints or parses YAML, and Spark is imported
only by what needs it, so that the partitioner reference can be used without Spark.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .run import Options, check

__all__ = ["Options", "check"]


def __getattr__(name: str) -> object:
    if name in __all__:
        from . import run  # noqa: PLC0415 - see above

        return getattr(run, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
