"""What an audit sees of a healthy cluster of three brokers, which are its controllers, too."""

from __future__ import annotations

from datetime import UTC, datetime

from kafka_topology.audit.subjects.health.certificates import Certificates
from kafka_topology.audit.subjects.health.transactions import OpenTransactions
from kafka_topology.cluster.live.certificates import Certificate
from kafka_topology.cluster.live.disks import Disk, LogDir
from kafka_topology.cluster.live.features import Software
from kafka_topology.cluster.live.quorum import Follower, Quorum
from kafka_topology.cluster.live.topics import LiveTopic, Placed
from kafka_topology.cluster.outcomes import Failure, FailureKind

NOW = datetime(2026, 3, 1, tzinfo=UTC)
GB = 10**9
SOFTWARE = Software(
    {"metadata.version": (7, 27), "eligible.leader.replicas.version": (0, 1)},
    {"metadata.version": 27, "eligible.leader.replicas.version": 1},
)
OFFSETS = LiveTopic(
    "__consumer_offsets",
    "id",
    2,
    3,
    placement=(Placed(1, (1, 2, 3), (1, 2, 3)), Placed(2, (2, 3, 1), (1, 2, 3))),
    min_in_sync=1,
)
NOT_YET = Failure(FailureKind.MISSING, "describing topic '__transaction_state': no such topic")


def healthy():
    return {
        "own_topics": {"__consumer_offsets": OFFSETS, "__transaction_state": NOT_YET},
        "quorum": Quorum(1, {1: Follower(), 2: Follower(lag=1, behind=500), 3: Follower(behind=400)}),
        "reached": True,
        "reassignments": {},
        "disks": {broker: Disk((LogDir("/data", total=100 * GB, usable=60 * GB, used=0),)) for broker in (1, 2, 3)},
        "transactions": OpenTransactions(NOW),
        "software": dict.fromkeys((1, 2, 3), SOFTWARE),
        "topic_configs": {broker: {"shop.orders": {"retention.ms": "1000"}} for broker in (1, 2, 3)},
        "certificates": Certificates(
            NOW, {"b1:9093": Certificate("b1:9093", NOW.replace(year=2025), NOW.replace(year=2027))}, {"b1:9093": 1}
        ),
    }
