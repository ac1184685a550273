"""Pairs of broker settings: those with which a broker does not start, and those that it takes although they do harm.

Tried with KafkaConfig of Kafka 4.1 and 4.2.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True)
class Pair:
    """`name` is at least `least`, `times` over, plus `gap`. A number below `no_limit` means that there is no limit.

    `effect` is what happens otherwise, if the broker starts, and `stops` whether clients cannot work then.
    """

    name: str
    least: str
    effect: str = ""
    gap: int = 0
    times: int = 1
    no_limit: int | None = None
    stops: bool = False

    def smallest(self, least: int) -> int:
        return self.times * least + self.gap

    def holds(self, number: int, least: int) -> bool:
        if self.no_limit is not None and number < self.no_limit:
            return True
        return number >= self.smallest(least)


def _bounded(name: str) -> tuple[Pair, ...]:
    """A default of the brokers for groups, such as `group.consumer.session.timeout.ms`, within its own bounds."""
    prefix, kind, rest = name.split(".", 2)
    low, high = (f"{prefix}.{kind}.{side}.{rest}" for side in ("min", "max"))
    return Pair(high, low), Pair(name, low), Pair(high, name)


_NEW_GROUPS = ("consumer", "share", "streams")
REFUSED: Final[tuple[Pair, ...]] = (
    Pair("replica.lag.time.max.ms", "replica.fetch.wait.max.ms"),
    Pair("replica.socket.timeout.ms", "replica.fetch.wait.max.ms"),
    Pair("queued.max.request.bytes", "socket.request.max.bytes", no_limit=1),
    Pair("connections.max.idle.ms", "connection.failed.authentication.delay.ms", gap=1, no_limit=0),
    *(pair for kind in _NEW_GROUPS for pair in _bounded(f"group.{kind}.session.timeout.ms")),
    *(pair for kind in _NEW_GROUPS for pair in _bounded(f"group.{kind}.heartbeat.interval.ms")),
    *(Pair(f"group.{kind}.session.timeout.ms", f"group.{kind}.heartbeat.interval.ms", gap=1) for kind in _NEW_GROUPS),
    *_bounded("group.share.record.lock.duration.ms"),
    Pair("group.share.max.share.sessions", "group.share.max.size"),
    Pair("group.streams.max.standby.replicas", "group.streams.num.standby.replicas"),
    # Each thread of the cleaner must have more than 1 MiB.
    Pair("log.cleaner.dedupe.buffer.size", "log.cleaner.threads", times=2**20 + 1),
)
HARMFUL: Final[tuple[Pair, ...]] = (
    Pair(
        "group.max.session.timeout.ms",
        "group.min.session.timeout.ms",
        "the brokers refuse every consumer of the classic protocol",
        stops=True,
    ),
    Pair(
        "broker.session.timeout.ms",
        "broker.heartbeat.interval.ms",
        "one late heartbeat fences the broker, and all its leaders move",
        times=3,
    ),
)
"""The broker starts with these. The first of a pair is the one to raise."""

# A follower of the controllers' log waits this long for new records (KafkaRaftClient.MAX_FETCH_WAIT_MS).
QUORUM_FETCH_WAIT_MS: Final = 500
# The smallest number that is no error; a negative one is no limit where it says so.
LEAST: Final[tuple[tuple[str, int, bool], ...]] = (
    ("log.retention.ms", 1, True),
    ("log.retention.minutes", 1, True),
    ("log.retention.hours", 1, True),
    ("log.roll.ms", 1, False),
    ("log.roll.jitter.ms", 0, False),
)
TIERED: Final = "remote.log.storage.system.enable"
