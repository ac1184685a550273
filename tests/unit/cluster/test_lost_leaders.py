"""librdkafka answers a request for offsets with -1001 and no error where a leader is lost meanwhile."""

from __future__ import annotations

from contextlib import contextmanager
from datetime import UTC, datetime
from types import SimpleNamespace

import pytest
from confluent_kafka import OFFSET_INVALID

from kafka_topology.cluster.outcomes import Failure, FailureKind
from kafka_topology.cluster.topics.offsets import offsets_at
from kafka_topology.cluster.topics.usage import contents_of


class Asking:
    """Partition 0 answers, partition 1 has lost its leader."""

    timeout = 5.0

    def __init__(self, offset: int) -> None:
        self.admin, self.offset = self, offset

    def list_offsets(self, wanted, **_options):
        return {
            partition: SimpleNamespace(offset=7 if partition.partition == 0 else self.offset, timestamp=-1)
            for partition in wanted
        }

    def value(self, _what, answer):
        return answer

    @contextmanager
    def asking(self):
        yield self


@pytest.mark.parametrize("to", ["earliest", "latest", datetime(2026, 1, 1, tzinfo=UTC)])
def test_an_unknown_offset_is_no_offset(to):
    found = offsets_at(Asking(OFFSET_INVALID), to, [("orders", 0), ("orders", 1)])
    assert found["orders", 0] == 7
    lost = found["orders", 1]
    assert isinstance(lost, Failure)
    assert lost.kind is FailureKind.UNCERTAIN
    assert "gave no offset" in lost.message


def test_no_record_after_a_time_is_an_answer():
    assert offsets_at(Asking(-1), datetime(2026, 1, 1, tzinfo=UTC), [("orders", 1)]) == {("orders", 1): -1}


def test_a_topic_is_not_called_empty_without_its_leaders():
    assert isinstance(contents_of(Asking(OFFSET_INVALID), {"orders": 2})["orders"], Failure)
