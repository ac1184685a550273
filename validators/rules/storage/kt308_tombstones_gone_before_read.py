from __future__ import annotations

import math
from collections.abc import Iterator

from kafka_topology.topology.model.declared import Topic
from kafka_topology.topology.model.findings import Related, Severity
from kafka_topology.topology.model.places import Layer
from kafka_topology.topology.model.units import DURATION_UNITS, format_duration
from kafka_topology.validators.engine.examples import PRICES_BLOCK, changed
from kafka_topology.validators.engine.helpers import problem_with, shown
from kafka_topology.validators.engine.rule import Bad, Context, Problem, rule
from kafka_topology.validators.facts.storage import Storage, outage, outage_shown

DOCS = """\
# KT308: tombstones-gone-before-read

Tombstones on a compacted topic disappear before a group that was down can read them.

A null value, a tombstone, shows readers that a key was deleted. Compaction removes the tombstone itself after
`delete.retention.ms`. A group that was down for longer never sees it, and keeps the deleted entry forever. With less
than a minute, even a reader that is only slow, or that reads the topic from its beginning, misses deletes: the rule
reports that whoever reads.

Fix: Raise `delete.retention.ms` above the longest `maxOutage` of the groups that read the topic: a group that returns
needs time to catch up.
"""

KEY = "delete.retention.ms"
SHORTEST = DURATION_UNITS["m"]


def check(context: Context) -> Iterator[Problem]:
    storage = Storage(context)
    reported = set()
    for name, group in storage.longest_outages.items():
        topic = context.topology.topics.get(name)
        if topic is None or not storage.compacts(topic) or _has_no_tombstones(topic):
            continue
        setting = context.settings.topic(topic, KEY)
        needed = outage(group)
        if setting is None or setting.number is None or setting.number >= needed:
            continue
        reported.add(name)
        down = f"{group.name} may be down {outage_shown(group)}"
        yield problem_with(
            setting,
            topic,
            f"{KEY} is {shown(setting)}, but group {down}; expected tombstones to be kept that long",
            f"raise {KEY} to twice the maxOutage of {group.name}, which leaves it time to catch up",
            edit=format_duration(int(needed * 2)) if needed < math.inf else None,
            related=(Related(group.place("maxOutage").location, down),),
        )

    for topic in context.index.topics_setting.get(KEY, ()):
        setting = context.settings.topic(topic, KEY)
        if topic.name in reported or not storage.compacts(topic) or _has_no_tombstones(topic):
            continue
        if setting is None or setting.number is None or setting.number >= SHORTEST:
            continue
        yield problem_with(
            setting,
            topic,
            f"{KEY} is {shown(setting)}, so any reader can miss any tombstone; expected as long as a reader may need to"
            " read the whole topic, and usually 1d",
            f"raise {KEY}, or remove it",
        )


def _has_no_tombstones(topic: Topic) -> bool:
    """Only if the file says so: the default proves nothing."""
    if topic.key is None or topic.key.nulls != "forbidden":
        return False
    return topic.place("key", "nulls").layer is not Layer.LANGUAGE


EXAMPLE = (
    PRICES_BLOCK
    + """\
    key: {type: string, nulls: tombstones}
    config: {cleanup.policy: compact, delete.retention.ms: 3d}
consumerGroups:
  shop: {topics: [prices], maxOutage: 3d}
"""
)

GOOD = (EXAMPLE,)
BAD = (
    Bad(
        PRICES_BLOCK
        + "    key: {type: string, nulls: tombstones}\n"
        + "    config: {cleanup.policy: compact, delete.retention.ms: 0ms}\n",
        line=7,
        column=60,
    ),
    Bad(changed(EXAMPLE, {"delete.retention.ms: 3d": "delete.retention.ms: 1h"}), line=7, column=60),
    Bad(
        PRICES_BLOCK
        + """\
    key: {type: string}
    config: {cleanup.policy: compact}
consumerGroups:
  shop: {topics: [prices], maxOutage: 3d}
""",
        line=3,
        column=3,
    ),
)

RULE = rule(DOCS, Severity.WARNING, check, GOOD, BAD, requirements=("R12", "R27"))
