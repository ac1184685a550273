"""What must hold of the measurements, whatever machine they come from."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Protocol

# The heap ends at 2 GiB, whatever is read; the process needs more for code, threads, and buffers of Kafka and Spark.
MOST_MEMORY = 3 << 30
# A record of the largest topic against one of the smallest with such keys: growth is linear, but computers are not.
MOST_GROWTH = 1.5


class Case(Protocol):
    @property
    def name(self) -> str: ...

    @property
    def size(self) -> Any: ...


def broken(results: Mapping[str, Any], cases: Iterable[Case]) -> Iterator[str]:
    """Each thing that does not hold, in a sentence. Cases that were not measured yet are left out."""
    measured = [case for case in cases if case.name in results]
    for case in measured:
        peak = results[case.name]["peak"]
        if peak > MOST_MEMORY:
            yield f"{case.name}: the process took {peak / 1e9:.2f} GB, more than {MOST_MEMORY / 1e9:.2f} GB"
    sound = sorted((case for case in measured if not case.size.faults), key=lambda case: case.size.records)
    for share in sorted({_keys(case) for case in sound}):
        alike = [case for case in sound if _keys(case) == share]
        smallest, largest = (_cost(results, case) for case in (alike[0], alike[-1]))
        if largest > MOST_GROWTH * smallest:
            yield (
                f"{alike[-1].name}: {largest * 1e6:.2f} µs for a record, {smallest * 1e6:.2f} µs with"
                f" {alike[0].size.records:,} records: more than {MOST_GROWTH} times"
            )


def _keys(case: Case) -> str:
    return "many" if case.size.records <= 2 * case.size.keys else "few"


def _cost(results: Mapping[str, Any], case: Case) -> float:
    found = results[case.name]
    seconds: float = found["checkCpu"] / found["records"]
    return seconds
