"""Since when records wait, and how many, by the fetched batches."""

from __future__ import annotations

from datetime import UTC, datetime
from types import SimpleNamespace

import pytest
from kafka.record import MemoryRecordsBuilder

from kafka_topology.cluster.topics.tails import oldest_after, records_after

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


def batch(first, records):
    builder = MemoryRecordsBuilder(magic=2, compression_type=0, batch_size=1 << 16)
    for _ in range(records):
        builder.append(timestamp=moment(0), key=None, value=b"v")
    builder.close()
    found = bytearray(builder.buffer())
    found[:8] = first.to_bytes(8, "big")
    return bytes(found)


@pytest.mark.parametrize(("stuck", "expected"), [(None, {4: 16, 11: 9}), (10, {})])
def test_records_are_counted_to_the_end_of_the_log_over_several_responses(stuck, expected):
    """A response holds one batch here: from 0, 10 and 20 on, of which the last offsets are missing after compaction."""
    log = {0: batch(0, 10), 10: batch(10, 8), 18: batch(20, 2)}

    def send(_, request, **__):
        [topic] = request.topics
        [asked] = topic.partitions
        first = max((at for at in log if at <= asked.fetch_offset), default=None)
        records = None if asked.fetch_offset == stuck else log[first]
        part = SimpleNamespace(
            partition_index=0, error_code=0, records=records, aborted_transactions=None, high_watermark=22
        )
        return SimpleNamespace(error_code=0, responses=[SimpleNamespace(topic="orders", partitions=[part])])

    found = records_after(SimpleNamespace(send=send), {PARTITION: {4, 11}}, {PARTITION: 1}, committed_only=False)
    assert found == {(PARTITION, offset): count for offset, count in expected.items()}
