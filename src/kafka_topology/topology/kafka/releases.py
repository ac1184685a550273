"""Releases of Kafka, by the levels of the feature that every KRaft broker reports."""

from __future__ import annotations

from bisect import bisect_right
from typing import Final

METADATA_FEATURE: Final = "metadata.version"
# The first level of each release, as Kafka's MetadataVersion has them.
_FIRST_LEVELS: Final = (
    (1, "3.0"), (2, "3.1"), (3, "3.2"), (4, "3.3"), (8, "3.4"), (9, "3.5"), (12, "3.6"), (15, "3.7"), (20, "3.8"),
    (21, "3.9"), (22, "4.0"), (26, "4.1"), (28, "4.2"),
)  # fmt: skip
_UNKNOWN: Final = 30  # 4.3 begins here


def release_of(highest_level: int) -> str | None:
    """The release whose brokers support levels up to this one; None for one that we do not know."""
    at = bisect_right([level for level, _ in _FIRST_LEVELS], highest_level)
    return _FIRST_LEVELS[at - 1][1] if at > 0 and highest_level < _UNKNOWN else None
