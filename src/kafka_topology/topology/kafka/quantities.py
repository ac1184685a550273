"""What the number of a setting counts: milliseconds, hours, bytes. One answer for every scope and client.

A setting that is not listed here counts something else (records, retries) or is text, and takes no unit.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from ..model import units

Measure = Literal["duration", "size", "rate"]


class NotWhole(Exception):
    """An amount that is no whole number of the unit."""


@dataclass(frozen=True, slots=True)
class Quantity:
    """`unit` is what Kafka counts, in words; one of them is `size` milliseconds, bytes or bytes per second."""

    measure: Measure
    unit: str
    size: int = 1
    suffixes: tuple[str, ...] = ()  # of any name, known to Kafka or not
    names: tuple[str, ...] = ()

    @property
    def expected(self) -> str:
        return _EXPECTED[self.measure]

    @property
    def pattern(self) -> str:
        """The texts with a unit, as a regular expression."""
        return _PATTERNS[self.measure]

    def parse(self, text: str) -> int | None:
        """The number that Kafka gets, of a text with a unit; None if it is no such text. Raises NotWhole."""
        amount = _PARSERS[self.measure](text)
        if amount is None or amount < 0:
            return amount
        if amount % self.size:
            raise NotWhole
        return amount // self.size

    def format(self, number: int) -> str:
        """A number of Kafka's as people write it: `7d` for 168 hours. Not for negative sizes and rates."""
        return _FORMATS[self.measure](number * self.size)

    @property
    def name_pattern(self) -> str:
        """The names that it applies to, as a regular expression without anchors."""
        return "|".join(
            [rf".*{re.escape(suffix)}" for suffix in self.suffixes]
            + ([rf"(?:{_HANDED_ON})?(?:{'|'.join(map(re.escape, self.names))})"] if self.names else [])
        )


# Milliseconds that librdkafka takes with a fraction. KT417 refuses one for the Java client.
FRACTIONAL = frozenset({"linger.ms", "queue.buffering.max.ms"})

# Kafka's default of `local.retention.ms` and `local.retention.bytes`: as long or as much as the topic keeps in all.
AS_RETENTION = -2

_EXPECTED: dict[Measure, str] = {
    "duration": "a duration such as 30s or 7d",
    "size": "a size such as 1MiB",
    "rate": "a rate such as 10MB/s",
}
_PATTERNS: dict[Measure, str] = {
    "duration": units.DURATION_PATTERN,
    "size": units.SIZE_PATTERN,
    "rate": units.RATE_PATTERN,
}
_PARSERS = {"duration": units.parse_duration, "size": units.parse_size, "rate": units.parse_rate}
_FORMATS = {"duration": units.format_duration, "size": units.format_size, "rate": units.format_rate}
# Kafka Streams hands settings on to its clients and internal topics by these prefixes.
_HANDED_ON = r"(?:(?:main|restore|global)\.)?consumer\.|producer\.|admin\.|topic\."

QUANTITIES: tuple[Quantity, ...] = (
    Quantity(
        "duration",
        "milliseconds",
        suffixes=(".ms",),
        names=("internal.metadata.delete.delay.millis", "sasl.kerberos.min.time.before.relogin"),
    ),
    Quantity(
        "duration",
        "seconds",
        1_000,
        names=(
            "alter.log.dirs.replication.quota.window.size.seconds",
            "controller.quota.window.size.seconds",
            "kafka.metrics.polling.interval.secs",
            "leader.imbalance.check.interval.seconds",
            "quota.window.size.seconds",
            "remote.log.manager.copy.quota.window.size.seconds",
            "remote.log.manager.fetch.quota.window.size.seconds",
            "replication.quota.window.size.seconds",
            "sasl.login.refresh.buffer.seconds",
            "sasl.login.refresh.min.period.seconds",
            "sasl.oauthbearer.assertion.claim.exp.seconds",
            "sasl.oauthbearer.assertion.claim.nbf.seconds",
            "sasl.oauthbearer.clock.skew.seconds",
        ),
    ),
    Quantity("duration", "minutes", 60_000, names=("log.retention.minutes", "offsets.retention.minutes")),
    Quantity("duration", "hours", 3_600_000, names=("log.retention.hours", "log.roll.hours", "log.roll.jitter.hours")),
    Quantity(
        "size",
        "bytes",
        suffixes=(".bytes",),
        names=(
            "batch.size",
            "buffer.memory",
            "cache.max.bytes.buffering",
            "log.cleaner.dedupe.buffer.size",
            "log.cleaner.io.buffer.size",
            "max.request.size",
            "metadata.log.max.record.bytes.between.snapshots",
            "offsets.load.buffer.size",
            "sasl.server.max.receive.size",
            "share.coordinator.load.buffer.size",
            "transaction.state.log.load.buffer.size",
        ),
    ),
    Quantity("size", "KiB", 1024, names=("queue.buffering.max.kbytes", "queued.max.messages.kbytes")),
    Quantity(
        "rate",
        "bytes per second",
        names=(
            "follower.replication.throttled.rate",
            "leader.replication.throttled.rate",
            "log.cleaner.io.max.bytes.per.second",
            "remote.log.manager.copy.max.bytes.per.second",
            "remote.log.manager.fetch.max.bytes.per.second",
            "replica.alter.log.dirs.io.max.bytes.per.second",
        ),
    ),
)
_COMPILED = tuple((re.compile(quantity.name_pattern), quantity) for quantity in QUANTITIES)


@lru_cache(maxsize=4096)
def quantity_of(name: str) -> Quantity | None:
    """What a setting of this name counts; None if it takes no unit."""
    return next((quantity for pattern, quantity in _COMPILED if pattern.fullmatch(name)), None)
