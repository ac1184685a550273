from __future__ import annotations

import math
from collections.abc import Iterator

from ...topology.findings import Related, Severity
from ...topology.model import Topic
from ...topology.places import Layer
from ...topology.units import format_duration
from ..helpers import own_edit, place_of, shown
from ..rule import Bad, Context, Problem, Rule
from ..storage import Storage, outage

KEY = "delete.retention.ms"


def check(context: Context) -> Iterator[Problem]:
    storage = Storage(context)
    for name, group in storage.longest_outages.items():
        topic = context.topology.topics.get(name)
        if topic is None or not storage.compacts(topic) or _has_no_tombstones(topic):
            continue
        setting = context.settings.topic(topic, KEY)
        needed = outage(group)
        if setting is None or setting.number is None or setting.number >= needed:
            continue
        expected = "for ever" if needed == math.inf else format_duration(int(needed))
        yield Problem(
            f"{topic.name}: {KEY} is {shown(setting)}, and group {group.name} may be down {expected}; expected"
            " deletions to be kept that long",
            place_of(setting, topic),
            topic.name,
            f"raise {KEY} to the maxOutage of {group.name}",
            (Related(group.place("maxOutage").location, f"{group.name} may be down {expected}"),),
            own_edit(setting, expected) if needed < math.inf else (),
        )


def _has_no_tombstones(topic: Topic) -> bool:
    """Only where the file says so: what is left out says nothing."""
    if topic.key is None or topic.key.nulls != "forbidden":
        return False
    return topic.place("key", "nulls").layer is not Layer.LANGUAGE


RULE = Rule(
    id="KT308",
    name="tombstones-gone-before-read",
    severity=Severity.WARNING,
    summary="Deletions on a compacted topic vanish before a group that was down can read them.",
    why="""\
A null value, a tombstone, tells readers that a key was deleted. Compaction removes the tombstone itself after
`delete.retention.ms`. A group that was down longer never sees it, and keeps the deleted entry for ever.""",
    fix="Raise `delete.retention.ms` to the longest `maxOutage` of the groups that read the topic.",
    requirements=("R12", "R27"),
    check=check,
    good=(
        """\
version: 1
topics:
  prices:
    partitions: 6
    replication: 3
    key: {type: string, nulls: tombstones}
    config: {cleanup.policy: compact, delete.retention.ms: 3d}
consumerGroups:
  shop: {topics: [prices], maxOutage: 3d}
""",
    ),
    bad=(
        Bad(
            """\
version: 1
topics:
  prices:
    partitions: 6
    replication: 3
    key: {type: string, nulls: tombstones}
    config: {cleanup.policy: compact, delete.retention.ms: 1h}
consumerGroups:
  shop: {topics: [prices], maxOutage: 3d}
""",
            line=7,
            column=60,
        ),
        Bad(
            """\
version: 1
topics:
  prices:
    partitions: 6
    replication: 3
    key: {type: string}
    config: {cleanup.policy: compact}
consumerGroups:
  shop: {topics: [prices], maxOutage: 3d}
""",
            line=3,
            column=3,
        ),
    ),
)
