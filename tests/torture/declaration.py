"""What the stack declares: the same for the same revision, so that two runs of a seed apply the same changes."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

PASSWORD = "a-password-of-the-torture"
BAD_RECORDS = 7  # of t.records: their keys are no numbers
GOOD_RECORDS = 40
_TOPIC = {"owner": "torture", "replication": 3, "visibility": "public"}
_IN_SYNC = {"min.insync.replicas": 2}
_READING = {"enable.auto.commit": False}


@dataclass(frozen=True)
class Declaration:
    """`revision` changes settings, a quota, access and which topic is new; the others change one thing each."""

    revision: int = 0
    replicas: int = 3  # of t.moved
    ticket: str | None = None  # of the reset of t.resting
    to: str = "earliest"

    def next_revision(self) -> Declaration:
        return replace(self, revision=self.revision + 1)

    @property
    def retention(self) -> int:
        return 86_400_000 + self.revision * 1000

    @property
    def rate(self) -> int:
        return 1_000_000 + self.revision

    def topics(self) -> dict[str, dict[str, Any]]:
        settings = {**_IN_SYNC, "retention.ms": self.retention}
        key = {"type": "long", "partitioner": "murmur2", "nulls": "forbidden"}
        return {
            "t.orders": {**_TOPIC, "partitions": 3, "config": settings},
            "t.records": {**_TOPIC, "partitions": 3, "key": key, "config": _IN_SYNC},
            "t.moved": {**_TOPIC, "partitions": 2, "replication": self.replicas, "config": {"min.insync.replicas": 1}},
            f"t.extra-{self.revision}": {**_TOPIC, "partitions": 1, "config": settings, "deletion": "allowed"},
        }

    def document(self) -> dict[str, Any]:
        reset = {"reset": {"to": self.to, "ticket": self.ticket}} if self.ticket else {}
        reading = {"owner": "torture", "topics": ["t.orders"], "config": _READING, "start": "earliest"}
        operations = ["Describe", "DescribeConfigs"] if self.revision % 2 else ["Describe"]
        return {
            "version": 1,
            "ownership": {"topics": ["t."], "groups": ["t."], "principals": ["User:t-"]},
            "topics": self.topics(),
            "producers": {"t-app": {"owner": "torture", "principal": "User:t-app", "topics": ["t.orders"]}},
            "consumerGroups": {
                "t.readers": {**reading, "principal": "User:t-reader"},
                "t.resting": {**reading, "principal": "User:t-resting", **reset},
            },
            "acls": [{"principal": "User:t-watch", "topic": "t.orders", "operations": operations}],
            "users": {"t-app": {"mechanism": "SCRAM-SHA-512", "password": {"secret": "password"}}},
            "quotas": [{"user": "t-app", "producerByteRate": f"{self.rate}B/s"}],
        }


def short_lived(number: int) -> dict[str, Any]:
    """Another stack's, made to be destroyed."""
    return {
        "version": 1,
        "ownership": {"topics": ["s."], "groups": ["s."], "principals": ["User:s-"]},
        "topics": {
            f"s.{number}-{at}": {**_TOPIC, "partitions": 2, "config": _IN_SYNC, "deletion": "allowed"}
            for at in range(3)
        },
        "producers": {"s-app": {"owner": "torture", "principal": "User:s-app", "topics": [f"s.{number}-0"]}},
        "quotas": [{"user": "s-app", "producerByteRate": "5000B/s"}],
    }
