from __future__ import annotations

from collections.abc import Iterator

from kafka_topology.topology.model.declared import ConsumerGroup, Topic
from kafka_topology.topology.model.findings import Related, Severity
from kafka_topology.validators.engine.examples import ORDERS_BLOCK, changed, inheriting, orders_with
from kafka_topology.validators.engine.helpers import problem_with, roughly, shown
from kafka_topology.validators.engine.rule import Bad, Context, Problem, rule
from kafka_topology.validators.facts.storage import Storage, outage, outage_shown

DOCS = """\
# KT306: retention-below-outage

Records are deleted before a group that was down can read them.

Kafka deletes records by age and size, read or not. A group that returns after its `maxOutage` finds that the records
it missed are gone, and continues without them. With a declared average load, the rule also checks
`retention.bytes`.

Fix: Raise the retention to the group's `maxOutage`, or lower `maxOutage` to the outage you really promise.
"""


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
    needed = outage_shown(group)
    yield problem_with(
        setting,
        topic,
        f"{key} is {shown(setting)}{lasting}, but group {group.name} may be down {needed}; expected"
        " records to be kept that long",
        f"raise {key} so that records are kept {needed}, or lower maxOutage of {group.name}",
        related=(Related(group.place("maxOutage").location, f"{group.name} may be down {needed}"),),
    )


EXAMPLE = orders_with("retention: 7d") + "consumerGroups:\n  billing: {topics: [orders], maxOutage: 3d}\n"

GOOD = (EXAMPLE,)
BAD = (
    Bad(changed(EXAMPLE, {"retention: 7d": "retention: 1d"}), line=3, column=54),
    Bad(
        inheriting("replication: 3, retention: 1d")
        + "consumerGroups:\n  audit: {assign: {orders: [0, 1, 2, 3, 4, 5]}, maxOutage: 3d}\n",
        line=3,
        column=38,
    ),
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
