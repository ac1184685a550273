"""The release of a broker, by the highest level of its metadata that it supports."""

from __future__ import annotations

import pytest

from kafka_topology.topology.kafka.releases import release_of


@pytest.mark.parametrize(
    ("level", "release"),
    [
        (0, None), (1, "3.0"), (7, "3.3"), (8, "3.4"), (14, "3.6"), (19, "3.7"), (20, "3.8"), (21, "3.9"), (22, "4.0"),
        (25, "4.0"), (26, "4.1"), (27, "4.1"), (29, "4.2"), (30, None),
    ],
)  # fmt: skip
def test_release_of_a_level(level: int, release: str | None) -> None:
    assert release_of(level) == release
