from __future__ import annotations

import math
from collections.abc import Iterator

from ...topology.findings import Related, Severity
from ...topology.model import ConsumerGroup, Topic
from ...topology.units import format_duration
from ..helpers import place_of, roughly, shown
from ..rule import Bad, Context, Problem, Rule
from ..storage import Storage, outage


def check(context: Context) -> Iterator[Problem]:
    storage = Storage(context)
    for name, group in storage.longest_outages.items():
        topic = context.topology.topics.get(name)
        if topic is None or not storage.deletes(topic):
            continue
        needed = outage(group)
        if storage.retention_ms(topic) < needed:
            yield from _problem(context, topic, group, "retention.ms", "")
        average = topic.throughput.average if topic.throughput is not None else None
        if average and storage.retention_bytes(topic) * topic.partitions * 1000 / average < needed:
            lasts = roughly(storage.retention_bytes(topic) * topic.partitions * 1000 / average)
            yield from _problem(context, topic, group, "retention.bytes", f", which the average load fills in {lasts}")


def _problem(context: Context, topic: Topic, group: ConsumerGroup, key: str, lasting: str) -> Iterator[Problem]:
    setting = context.settings.topic(topic, key)
    if setting is None:
        return
    needed = "for ever" if outage(group) == math.inf else format_duration(int(outage(group)))
    yield Problem(
        f"{topic.name}: {key} is {shown(setting)}{lasting}, and group {group.name} may be down {needed};"
        f" expected records to be kept that long",
        place_of(setting, topic),
        topic.name,
        f"raise {key} so that records are kept {needed}, or lower maxOutage of {group.name}",
        (Related(group.place("maxOutage").location, f"{group.name} may be down {needed}"),),
    )


RULE = Rule(
    id="KT306",
    name="retention-below-outage",
    severity=Severity.ERROR,
    summary="Records are deleted before a group that was down can read them.",
    why="""\
Kafka deletes by age and size, whether anyone has read or not. A group that comes back after its `maxOutage` finds that
what it missed is gone, and goes on without it. With a declared average load, `retention.bytes` is judged as well.""",
    fix="Raise the retention to the group's `maxOutage`, or lower `maxOutage` to what is really promised.",
    requirements=("R27",),
    check=check,
    good=(
        """\
version: 1
topics:
  orders: {partitions: 6, replication: 3, retention: 7d}
consumerGroups:
  billing: {topics: [orders], maxOutage: 3d}
""",
    ),
    bad=(
        Bad(
            """\
version: 1
topics:
  orders: {partitions: 6, replication: 3, retention: 1d}
consumerGroups:
  billing: {topics: [orders], maxOutage: 3d}
""",
            line=3,
            column=54,
        ),
        Bad(
            """\
version: 1
profiles:
  event: {replication: 3, retention: 1d}
topics:
  orders: {profile: event, partitions: 6}
consumerGroups:
  audit: {assign: {orders: [0, 1, 2, 3, 4, 5]}, maxOutage: 3d}
""",
            line=3,
            column=38,
        ),
        Bad(
            """\
version: 1
topics:
  orders:
    partitions: 6
    replication: 3
    throughput: {average: 6MB/s}
    config: {retention.bytes: 10GB}
consumerGroups:
  billing: {topics: [orders], maxOutage: 3d}
""",
            line=7,
            column=31,
        ),
    ),
)
