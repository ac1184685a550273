"""Why no record came: what the cluster says of the leaders of the partitions. No broker."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from kafka_topology.cluster.live.topics import LiveTopic, Placed
from kafka_topology.cluster.outcomes import ClusterUnreachableError, Failure, FailureKind, Outcome
from kafka_topology.spark_checks.reading.offsets import Offsets
from kafka_topology.spark_checks.reading.ranges import Pinned, Range
from kafka_topology.spark_checks.reading.reader import KafkaReader

PINNED = Pinned("t", (Range(0, 0, 5), Range(1, 0, 5), Range(2, 3, 3), Range(3, 0, 5)))
DOWN, UP = Placed(None, (2,), ()), Placed(1, (1,), (1,))


def topic(*placement: Placed) -> LiveTopic:
    return LiveTopic(
        name="t",
        topic_id="id",
        partitions=len(placement),
        replication=1,
        most_replicas=1,
        config={},
        internal=False,
        throttled=(),
        placement=placement,
        min_in_sync=1,
    )


@pytest.mark.parametrize(
    ("live", "said"),
    [
        (topic(UP, UP, UP, UP), None),
        (topic(UP, DOWN, DOWN, UP), "partition 1 has no leader: the brokers that hold it do not answer"),
        (topic(DOWN, DOWN, UP, UP), "partitions 0, 1 have no leader: the brokers that hold them do not answer"),
        (Failure(FailureKind.DENIED, "no"), None),
        (ClusterUnreachableError("nobody"), None),
    ],
)
def test_partitions_without_a_leader_are_named(
    monkeypatch: pytest.MonkeyPatch, live: Outcome[LiveTopic] | ClusterUnreachableError, said: str | None
) -> None:
    class Cluster:
        def describe_topics(self, names: list[str]) -> dict[str, Outcome[LiveTopic]]:
            if isinstance(live, ClusterUnreachableError):
                raise live
            return dict.fromkeys(names, live)

    @contextmanager
    def connected(_: Offsets) -> Iterator[Cluster]:
        yield Cluster()

    monkeypatch.setattr(Offsets, "_connected", connected)
    assert KafkaReader({"bootstrap.servers": "localhost:1"}).why_silent(PINNED) == said
