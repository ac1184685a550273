"""Timestamps are of the declared type and not in the future."""

from __future__ import annotations

from typing import Final, Literal

from ..conditions.record import InFuture, NotTimestampType, Older, RowTest
from ..planning.check import About, Check, Explanation, Found, RowTests, Seen, Verdict
from ..planning.subject import Subject

FUTURE_MS: Final = 60 * 60 * 1000  # where the topic sets no limit of its own; Kafka's default since 4.0
_TYPE: Final = "message.timestamp.type"
_AFTER_MAX: Final = "message.timestamp.after.max.ms"
_TYPES: Final[dict[str, Literal[0, 1]]] = {"CreateTime": 0, "LogAppendTime": 1}
_FUTURE, _OLDER = "in the future", "older"


class Timestamps(Check):
    about = About(
        id="timestamps",
        order=100,
        summary="Timestamps are of the configured type and not in the future.",
        why="Retention by time and windows follow timestamps: a wrong one deletes records early or never.",
        needs="nothing",
        violation=(
            "a timestamp of another type than the topic is configured for, or in the future: later than now by more"
            " than the topic's `message.timestamp.after.max.ms`, or by more than an hour without it"
        ),
        declared_at=("config", _TYPE),
        metrics={"outOfOrder": "records with a smaller timestamp than an earlier record of the partition"},
        settings=(_TYPE, _AFTER_MAX),
    )

    def tests(self, subject: Subject) -> RowTests:
        limit_ms = subject.limit_ms(_AFTER_MAX)
        tolerated_ms = FUTURE_MS if limit_ms is None else limit_ms
        latest_ms = subject.now_ms + tolerated_ms
        rows = [
            RowTest(_FUTURE, InFuture(latest_ms), expected=f"a timestamp up to {latest_ms} ms since 1970"),
            RowTest(_OLDER, Older("partition"), "counted"),
        ]
        name = subject.settings.get(_TYPE)
        if name in _TYPES:
            rows.append(RowTest(f"not {name}", NotTimestampType(_TYPES[name]), expected=f"{_TYPE} {name}"))
        return RowTests(tuple(rows))

    def verdict(self, subject: Subject, seen: Seen) -> Verdict:  # noqa: ARG002 - the base class's signature
        older = seen.counts[_OLDER]
        notes = (f"{older:,} older than an earlier record",) if older else ()
        return Verdict({"outOfOrder": older}, notes=notes)

    def explain(self, subject: Subject, found: Found) -> Explanation:
        if found.seen.counts[_FUTURE]:
            return Explanation(
                "a producer with a wrong clock, or one that sets timestamps in another unit than milliseconds;"
                " retention by time keeps such records until their time has come",
                f"fix the producer's clock, and let the broker refuse such records with {_AFTER_MAX}",
            )
        declared = subject.settings[_TYPE]
        return Explanation(
            f"records written before {_TYPE} became {declared}, or the live topic has another type",
            "apply the topology, or declare the type in use; records already written keep theirs",
        )


CHECK = Timestamps()
