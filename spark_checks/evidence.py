"""A record that was found, as far as the driver gets to see it."""

from __future__ import annotations

from dataclasses import dataclass

LONGEST_FETCHED_KEY = 4096  # evidence goes to the driver; a huge key must not


@dataclass(frozen=True, slots=True)
class Evidence:
    """One record for which the test at this index holds. A key longer than the limit is None, its length is not."""

    test: int
    partition: int
    offset: int
    timestamp_ms: int
    key: bytes | None
    key_length: int | None
