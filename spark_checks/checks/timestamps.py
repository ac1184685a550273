"""Timestamps are of the declared type and not in the future."""

from __future__ import annotations

from typing import Final, Literal

from ..conditions import InFuture, NotTimestampType, Older, RowTest
from .base import Explanation, Found, RowCheck, RowTests, Seen, Subject, Verdict

FUTURE_MS: Final = 60 * 60 * 1000  # where the topic sets no limit of its own; Kafka's default since 4.0
_UNLIMITED_MS: Final = 1 << 62  # Kafka's way to say "no limit" is the largest long
_TYPES: Final[dict[str, Literal[0, 1]]] = {"CreateTime": 0, "LogAppendTime": 1}
_FUTURE, _OLDER = "in the future", "older"


class Timestamps(RowCheck):
    id = "timestamps"

    def tests(self, subject: Subject) -> RowTests:
        rows = [
            RowTest(_FUTURE, InFuture(subject.now_ms + _tolerated_ms(subject))),
            RowTest(_OLDER, Older("partition"), "counted"),
        ]
        name = subject.settings.get("message.timestamp.type")
        if name in _TYPES:
            rows.append(RowTest(f"not {name}", NotTimestampType(_TYPES[name])))
        return RowTests(tuple(rows))

    def verdict(self, subject: Subject, seen: Seen) -> Verdict:  # noqa: ARG002 - the protocol's signature
        older = seen.counts[_OLDER]
        notes = (f"{older:,} older than a record before them",) if older else ()
        return Verdict({"outOfOrder": older}, notes=notes)

    def explain(self, subject: Subject, found: Found) -> Explanation:
        if found.seen.counts[_FUTURE]:
            return Explanation(
                "a producer with a wrong clock, or one that sets timestamps in another unit than milliseconds;"
                " retention by time keeps such records until their time has come",
                "mend the producer's clock, and let the broker refuse with message.timestamp.after.max.ms",
            )
        declared = subject.settings["message.timestamp.type"]
        return Explanation(
            f"records written before message.timestamp.type became {declared}, or the live topic has another type",
            "apply the topology, or declare the type in use; records already written keep theirs",
        )


def _tolerated_ms(subject: Subject) -> int:
    limit = subject.settings.get("message.timestamp.after.max.ms", "")
    return int(limit) if limit.isdigit() and int(limit) < _UNLIMITED_MS else FUTURE_MS
