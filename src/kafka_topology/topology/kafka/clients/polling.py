"""How long a member may take between two polls, for the longest time that one record takes."""

from __future__ import annotations

from typing import Final

from ...model.declared import ConsumerGroup
from ...model.units import format_duration, kafka_integer
from .libraries import Library, library_of
from .model import Settings

INTERVAL, RECORDS = "max.poll.interval.ms", "max.poll.records"
_ROOM: Final = 80  # percent of the time that may be used
_USUAL_INTERVAL: Final = 300_000
_USUAL_RECORDS: Final = 500  # of the Java client; others hand out one record at a time
_LONGEST: Final = 86_400_000  # librdkafka takes no more


def time_between_polls(settings: Settings, group: ConsumerGroup) -> None:
    """Sets what `maxProcessingTime` needs, or notes that nothing is enough. Where it fits already, nothing is set."""
    each, library = group.max_processing_time, library_of(group)
    is_java = library is None or library.has_java_names
    limit = INTERVAL if library is None or is_java else library.record_limit
    if not each or limit is None:
        return
    takes = "for ever" if each < 0 else f"up to {format_duration(each)}"
    needed = each * 100 // _ROOM
    if each < 0 or needed > _LONGEST:
        settings.notes.append(
            f"{limit}: one record takes {takes} (maxProcessingTime), and no limit leaves room for that: the group"
            " removes its member; hand such records to another thread, or assign partitions"
        )
        return
    interval = settings.number(limit, _default(library, limit))
    if each > interval and limit != INTERVAL:
        settings.notes.append(
            f"{limit}: one record takes {takes} (maxProcessingTime), longer than its {format_duration(interval)}:"
            " call heartbeat() meanwhile, or raise it"
        )
    elif each > interval:
        why = f"maxProcessingTime: one record takes {takes}, and the group removes a member that polls later"
        settings.need(INTERVAL, str(needed), why, lambda value: (kafka_integer(value) or 0) >= each)
        interval = needed
    if is_java and settings.number(RECORDS, _USUAL_RECORDS) * each > interval:
        settings.need(
            RECORDS,
            str(max(1, interval * _ROOM // 100 // each)),
            f"maxProcessingTime: so many records, each {takes}, fit into {INTERVAL} ({format_duration(interval)})",
            lambda value: (kafka_integer(value) or 0) * each <= interval,
        )


def _default(library: Library | None, limit: str) -> int:
    if library is not None and not library.has_java_names:
        for own in library.settings("consumer").values():
            if own.java == limit and (number := kafka_integer(own.default or "")) is not None:
                return number
    return _USUAL_INTERVAL
