"""Checks that need a column which the records were given without. Kafka has them all; a table may not."""

from __future__ import annotations

from collections.abc import Collection
from typing import Final

from .check import Check
from .plan import Plan, Planned

# Of the Kafka source, with their types. Without `partition` and `offset` nothing can be read.
OPTIONAL: Final = {"key": "binary", "value": "binary", "timestamp": "timestamp", "timestampType": "int"}


def without_columns(asked: Plan, missing: Collection[str]) -> dict[str, str]:
    """The checks that need one of the missing columns, each with the reason."""
    found = {each.check.id: sorted(_needed(each) & set(missing)) for each in asked.planned}
    return {
        check: f"the records were given without a column {' and '.join(f'`{name}`' for name in names)}"
        for check, names in found.items()
        if names
    }


def _needed(planned: Planned) -> frozenset[str]:
    needed = frozenset[str]().union(*(row.condition.reads for row in planned.tests.rows))
    # A second query compares all keys, with the partition count of their time.
    return needed | {"key", "timestamp"} if type(planned.check).asks is not Check.asks else needed
