from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import replace
from datetime import timedelta

from kafka_topology.topology.model.declared import ConsumerGroup, ShareGroup, StreamsApplication, Topic
from kafka_topology.topology.model.findings import Related, Severity, excess
from kafka_topology.topology.model.units import format_duration
from kafka_topology.validators.engine.examples import ORDERS_BLOCK, changed, inheriting, orders_with
from kafka_topology.validators.engine.helpers import problem_with, related, roughly, shown
from kafka_topology.validators.engine.rule import Bad, Context, Problem, rule
from kafka_topology.validators.facts.storage import Storage, outage, outage_shown

DOCS = """\
# KT306: retention-below-outage

Records are deleted before a group that was down can read them.

Kafka deletes records by age and size, read or not. A group that returns after its `maxOutage` finds that the records
it missed are gone, and continues without them. With a declared average load, the rule also checks `retention.bytes`.
A retention that equals `maxOutage` leaves no time to catch up, which is a warning. A `maxLag` that is a time is an
alarm: if it is not shorter than the retention, the records are gone before the audit can report it, which is a
warning.

Fix: Raise the retention above the group's `maxOutage`, or lower `maxOutage` to the outage you really promise.
"""


def check(context: Context) -> Iterator[Problem]:
    storage = Storage(context)
    for name, group in storage.longest_outages.items():
        topic = context.topology.topics.get(name)
        if topic is None or not storage.deletes(topic):
            continue
        needed = outage(group)
        if storage.retention_ms(topic) < needed:
            yield from _problem(context, topic, group, "retention.ms", storage.retention_ms(topic))
        elif storage.retention_ms(topic) == needed < math.inf:
            yield from _no_time_left(context, topic, group)
        average = topic.throughput.average if topic.throughput is not None else None
        if average and storage.retention_bytes(topic) * topic.partitions * 1000 / average < needed:
            lasts = storage.retention_bytes(topic) * topic.partitions * 1000 / average
            yield from _problem(context, topic, group, "retention.bytes", lasts)

    yield from _alarms(context, storage)


def _no_time_left(
    context: Context, topic: Topic, group: ConsumerGroup | ShareGroup | StreamsApplication
) -> Iterator[Problem]:
    """A group that returns after exactly its outage reads records while Kafka deletes them."""
    setting = context.settings.topic(topic, "retention.ms")
    if setting is None:
        return
    longest = outage_shown(group)
    yield problem_with(
        setting,
        topic,
        f"retention.ms is {shown(setting)}, and group {group.name} may be down {longest}, which leaves no time to catch"
        " up; expected more",
        f"raise retention.ms by the time that {group.name} needs to catch up, or lower its maxOutage",
        related=(Related(group.place("maxOutage").location, f"{group.name} may be down {longest}"),),
        severity=Severity.WARNING,
    )


def _alarms(context: Context, storage: Storage) -> Iterator[Problem]:
    """Groups whose lag is reported only when records were deleted already."""
    topology = context.topology
    readers: list[tuple[ConsumerGroup | ShareGroup | StreamsApplication, Iterable[str]]] = [
        *((group, (*group.topics, *group.assign)) for group in topology.consumer_groups.values()),
        *((group, group.topics) for group in topology.share_groups.values()),
        *((application, application.reads) for application in topology.streams.values()),
    ]
    for group, names in readers:
        if not isinstance(group.max_lag, timedelta):
            continue
        lag = int(group.max_lag.total_seconds() * 1000)
        for name in names:
            topic = topology.topics.get(name)
            retention = context.settings.topic(topic, "retention.ms") if topic is not None else None
            if topic is None or retention is None or not storage.deletes(topic) or lag < storage.retention_ms(topic):
                continue
            yield Problem(
                f"{group.name}: maxLag is {format_duration(lag)}, but {name} keeps records for {shown(retention)}, so"
                " they are deleted unread before anybody is warned; expected less",
                group.place("maxLag"),
                group.name,
                f"lower maxLag well below the retention of {name}, or raise the retention",
                related(retention, "retention is set here"),
                severity=Severity.WARNING,
            )
            break


def _problem(
    context: Context, topic: Topic, group: ConsumerGroup | ShareGroup | StreamsApplication, key: str, lasts: float
) -> Iterator[Problem]:
    setting = context.settings.topic(topic, key)
    if setting is None:
        return
    needed = outage_shown(group)
    lasting = f", which the average load fills in {roughly(lasts)}" if key == "retention.bytes" else ""
    missing = outage(group) - lasts
    problem = problem_with(
        setting,
        topic,
        f"{key} is {shown(setting)}{lasting}, but group {group.name} may be down {needed}; expected"
        " records to be kept that long",
        f"raise {key} so that records are kept {needed}, or lower maxOutage of {group.name}",
        related=(Related(group.place("maxOutage").location, f"{group.name} may be down {needed}"),),
    )
    yield replace(problem, evidence={"setting": key, "group": group.name, **excess(missing)})


EXAMPLE = orders_with("retention: 7d") + "consumerGroups:\n  billing: {topics: [orders], maxOutage: 3d}\n"

GOOD = (EXAMPLE, changed(EXAMPLE, {"maxOutage: 3d": "maxLag: 1d"}))
BAD = (
    Bad(changed(EXAMPLE, {"retention: 7d": "retention: 1d"}), line=3, column=54),
    Bad(
        inheriting("replication: 3, retention: 1d")
        + "consumerGroups:\n  audit: {assign: {orders: [0, 1, 2, 3, 4, 5]}, maxOutage: 3d}\n",
        line=3,
        column=38,
    ),
    Bad(
        orders_with("retention: 1d") + "shareGroups:\n  packers: {topics: [orders], maxOutage: 3d}\n", line=3, column=54
    ),
    Bad(changed(EXAMPLE, {"maxOutage: 3d": "maxLag: 7d"}), line=5, column=39),
    Bad(changed(EXAMPLE, {"maxOutage: 3d": "maxOutage: 7d"}), line=3, column=54),
    Bad(
        ORDERS_BLOCK
        + """\
    throughput: {average: 6MB/s}
    config: {retention.bytes: 10GB}
consumerGroups:
  billing: {topics: [orders], maxOutage: 3d}
""",
        line=7,
        column=31,
    ),
)

RULE = rule(DOCS, Severity.ERROR, check, GOOD, BAD, requirements=("R27",))
