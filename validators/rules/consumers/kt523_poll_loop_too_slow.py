from __future__ import annotations

from collections.abc import Iterator

from kafka_topology.topology.model.declared import ConsumerGroup
from kafka_topology.topology.model.findings import Related, Severity
from kafka_topology.topology.model.units import format_duration
from kafka_topology.topology.model.words import counted
from kafka_topology.validators.engine.examples import BILLING, ORDERS, changed
from kafka_topology.validators.engine.helpers import own_edit, place_of, shown
from kafka_topology.validators.engine.in_library import called, own_library
from kafka_topology.validators.engine.rule import Bad, Context, Problem, rule
from kafka_topology.validators.facts.client_roles import Reader

DOCS = """\
# KT523: poll-loop-too-slow

One batch of records takes longer to process than `max.poll.interval.ms` allows.

A poll returns up to `max.poll.records`. If they take longer than `max.poll.interval.ms`, the group removes the member
and gives its partitions to others, who read the same records again, fail in the same way, and so on: the group works
all the time and never gets on. The rule compares with `maxProcessingTime`, the longest time that one record takes.

librdkafka and aiokafka hand over one record at a time, so there a single record must not take longer. KafkaJS sends its
heartbeats between two messages: one that takes longer than `sessionTimeout` costs the member its place, unless the
application calls `heartbeat()` meanwhile. sarama, franz-go and kafka-go send heartbeats in the background and do not
watch the loop, so the rule skips them. No limit is long enough for `maxProcessingTime: forever`.

Fix: Lower `max.poll.records` below `max.poll.interval.ms` ÷ `maxProcessingTime`, or raise `max.poll.interval.ms`, and
leave some room: a fix that the rule offers uses 80% of the time.
"""

RECORDS, INTERVAL = "max.poll.records", "max.poll.interval.ms"
# A fix uses this part of the time at most, in percent.
ROOM = 80
_LONGEST = "the longest time that one record takes"


def check(context: Context) -> Iterator[Problem]:
    for reader in context.index.clients.groups:
        group = reader.group
        each = group.max_processing_time if group is not None else None
        if group is None or not each or reader.is_standalone:
            continue
        name = _limit_of(reader)
        limit = reader.number(name) if name is not None else None
        if name is None or limit is None:
            continue
        most = reader.number(RECORDS) or 1
        if each < 0 or each > limit:
            yield from _one_record(reader, group, each, name)
        elif name == INTERVAL and most * each > limit:
            yield from _batch(reader, group, each, most)


def _limit_of(reader: Reader) -> str | None:
    """What the time between two polls must not outlast: known with a number of records, or by the library."""
    library = own_library(reader.declared)
    if library is not None and reader.number(RECORDS) is None:
        return library.record_limit
    return INTERVAL


def _one_record(reader: Reader, group: ConsumerGroup, each: int, name: str) -> Iterator[Problem]:
    limit = reader.setting(name)
    if limit is None:
        return
    own = called(group, name)
    unless = ", unless the application calls heartbeat() meanwhile" if name != INTERVAL else ""
    place = place_of(limit, group)
    if each < 0:
        message = f"one record may take for ever, longer than any {name}, so the group removes its member{unless}"
        expected, fix = "a time", f"declare the longest time that a record takes, and set {own} above it"
        place = group.place("maxProcessingTime")
    else:
        longer = format_duration(each * 100 // ROOM)
        message = (
            f"one record alone takes up to {format_duration(each)}, longer than {name} of {shown(limit)}, so the group"
            f" removes its member{unless}"
        )
        expected, fix = f"{name} above {format_duration(each)}", f"raise {own} to {longer}, or {_instead(name)}"
    yield Problem(
        f"{group.name}: {message}; expected {expected}",
        place,
        group.name,
        fix,
        () if each < 0 else (Related(group.place("maxProcessingTime").location, _LONGEST),),
    )


def _instead(name: str) -> str:
    return "process records faster" if name == INTERVAL else "call heartbeat() while a record is processed"


def _batch(reader: Reader, group: ConsumerGroup, each: int, most: int) -> Iterator[Problem]:
    records, interval = reader.setting(RECORDS), reader.setting(INTERVAL)
    if records is None or interval is None or interval.number is None:
        return
    fitting = interval.number // each
    roomy = max(1, interval.number * ROOM // 100 // each)
    at = interval if interval.is_declared and not records.is_declared else records
    yield Problem(
        f"{group.name}: {RECORDS} is {shown(records)}, which at {format_duration(each)} each takes up to"
        f" {format_duration(most * each)}, longer than {INTERVAL} of {shown(interval)}; expected at most"
        f" {counted(fitting, 'record')}",
        place_of(at, group),
        group.name,
        f"set {called(group, RECORDS)} to {roomy}, which leaves some room, or {called(group, INTERVAL)} to"
        f" {format_duration(most * each * 100 // ROOM)}",
        (Related(group.place("maxProcessingTime").location, _LONGEST),),
        edits=own_edit(records, str(roomy)) if records.is_declared else (),
    )


EXAMPLE = ORDERS + BILLING + "    maxProcessingTime: 200ms\n    config: {max.poll.records: 100}\n"

GOOD = (
    EXAMPLE,
    ORDERS + BILLING + "    maxProcessingTime: 10ms\n",
    ORDERS + BILLING + "    maxProcessingTime: 4m\n    library: librdkafka\n",
    ORDERS + BILLING + "    maxProcessingTime: 20s\n    library: kafkajs\n",
)
BAD = (
    Bad(changed(EXAMPLE, {"max.poll.records: 100": "max.poll.records: 5000"}), line=8, column=32),
    Bad(changed(EXAMPLE, {"200ms": "2s", "    config: {max.poll.records: 100}\n": ""}), line=5, column=3),
    Bad(changed(EXAMPLE, {"max.poll.records: 100": "max.poll.interval.ms: 1m"}), line=8, column=36),
    Bad(ORDERS + BILLING + "    maxProcessingTime: 10m\n    library: librdkafka\n", line=5, column=3),
    Bad(ORDERS + BILLING + "    maxProcessingTime: 10m\n    library: kafkajs\n", line=5, column=3),
    Bad(ORDERS + BILLING + "    maxProcessingTime: forever\n", line=7, column=24),
    Bad(ORDERS + BILLING + "    maxProcessingTime: 10m\n    config: {max.poll.records: 1}\n", line=5, column=3),
)

RULE = rule(DOCS, Severity.WARNING, check, GOOD, BAD, requirements=("R23",))
