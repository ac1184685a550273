"""Since when a record waits, by the timestamps in a fetched batch."""

from __future__ import annotations

from datetime import UTC, datetime
from types import SimpleNamespace

import pytest
from kafka.record import MemoryRecordsBuilder

from kafka_topology.cluster.topics.tails import oldest_after

NOW = datetime(2026, 3, 1, tzinfo=UTC)
MINUTE = 60_000
PARTITION = ("orders", 0)


def moment(minutes):
    return int(NOW.timestamp() * 1000) + minutes * MINUTE


def fetched(*timestamps):
    """A client whose leader answers with one record for each timestamp, from offset 0 on."""
    builder = MemoryRecordsBuilder(magic=2, compression_type=0, batch_size=1 << 16)
    for at in timestamps:
        builder.append(timestamp=at, key=None, value=b"v")
    builder.close()
    part = SimpleNamespace(partition_index=0, error_code=0, records=builder.buffer(), aborted_transactions=None)
    topic = SimpleNamespace(topic="orders", partitions=[part])
    response = SimpleNamespace(error_code=0, responses=[topic])
    return SimpleNamespace(send=lambda *_, **__: response)


@pytest.mark.parametrize(
    ("offset", "timestamps", "expected"),
    [
        (0, (-30, -20), -30),
        (1, (-30, -20), -20),
        (0, (60, -20, -10), -20),  # a clock that was ahead hides nothing
        (0, (60, 90), 60),  # new, as far as anybody knows
        (0, (-10, 60), -10),
    ],
)
def test_the_first_timestamp_that_is_not_in_the_future_counts(offset, timestamps, expected):
    second = fetched(*map(moment, timestamps))
    found = oldest_after(second, [(PARTITION, offset)], {PARTITION: 1}, NOW, committed_only=False)
    assert found == {(PARTITION, offset): datetime.fromtimestamp(moment(expected) / 1000, UTC)}


def test_a_timestamp_after_the_last_date_is_a_date():
    found = oldest_after(fetched(2**62), [(PARTITION, 0)], {PARTITION: 1}, NOW, committed_only=False)
    assert found[PARTITION, 0].year == 9999
