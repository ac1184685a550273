from __future__ import annotations

import math
from collections.abc import Iterator

from ...topology.findings import Severity
from ..helpers import place_of
from ..rule import Bad, Context, Problem, Rule
from ..storage import Storage


def check(context: Context) -> Iterator[Problem]:
    storage = Storage(context)
    for topic in context.topology.topics.values():
        if topic.kept_forever or storage.compacts(topic):
            continue
        if not storage.deletes(topic):
            key, found = "cleanup.policy", "cleanup.policy is empty"
        elif storage.retention_ms(topic) == storage.retention_bytes(topic) == math.inf:
            key, found = "retention.ms", "retention.ms and retention.bytes are -1"
        else:
            continue
        setting = context.settings.topic(topic, key)
        if setting is not None:
            yield Problem(
                f"{topic.name}: {found}, so its records are kept for ever; expected a limit, or `retention: forever`",
                place_of(setting, topic),
                topic.name,
                "set retention, or write `retention: forever` if that is meant",
            )


RULE = Rule(
    id="KT305",
    name="kept-forever-by-accident",
    severity=Severity.WARNING,
    summary="Records are kept for ever, and nobody said that this is meant.",
    why="""\
A limit of -1 is none. Without a limit by time or by size the topic grows until the disk is full, and then its broker
stops.""",
    fix="Set `retention`, or write `retention: forever` so that a reader knows that it is meant.",
    requirements=("R27",),
    check=check,
    good=(
        "version: 1\ntopics:\n  orders: {partitions: 6, replication: 3, retention: forever}\n",
        """\
version: 1
topics:
  orders: {partitions: 6, replication: 3, config: {retention.ms: -1, retention.bytes: 1GiB}}
""",
    ),
    bad=(
        Bad(
            "version: 1\ntopics:\n  orders: {partitions: 6, replication: 3, config: {retention.ms: -1}}\n",
            line=3,
            column=66,
        ),
        Bad(
            """\
version: 1
cluster: {defaults: {log.retention.hours: -1}}
topics:
  orders: {partitions: 6, replication: 3}
""",
            line=2,
            column=43,
        ),
    ),
)
