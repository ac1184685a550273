from __future__ import annotations

import math
from collections.abc import Iterator

from ...topology.findings import Severity
from ..helpers import NO_LIMIT, place_of
from ..rule import Bad, Context, Problem, Rule
from ..storage import Storage

KEY = "message.timestamp.after.max.ms"


def check(context: Context) -> Iterator[Problem]:
    type_of = context.index.topic_text("message.timestamp.type")
    ahead_of = context.index.topic_number(KEY)
    around_of = context.index.topic_number("message.timestamp.difference.max.ms")  # what 3.x had before
    storage = Storage(context)
    for topic in context.topology.topics.values():
        if ahead_of(topic) != NO_LIMIT or around_of(topic) not in (None, NO_LIMIT):
            continue
        if type_of(topic) != "CreateTime" or not storage.deletes(topic) or storage.retention_ms(topic) == math.inf:
            continue
        setting = context.settings.topic(topic, KEY)
        if setting is not None:
            yield Problem(
                f"{topic.name}: producers set the timestamps, {KEY} has no limit, and retention goes by them; expected"
                " a limit such as 1h",
                place_of(setting, topic),
                topic.name,
                f"set {KEY} to 1h, or message.timestamp.type to LogAppendTime",
            )


RULE = Rule(
    id="KT315",
    name="unbounded-timestamps",
    severity=Severity.ADVICE,
    summary="Producers may write any time into the future, and retention goes by that time.",
    why="""\
Retention by time looks at the newest timestamp of a segment. One record from a clock that is wrong by a year, or from
a producer that writes microseconds for milliseconds, keeps its segment, and all that is in it, that much longer. Since
4.0 Kafka allows one hour.""",
    fix="Set `message.timestamp.after.max.ms` to an hour, or let the broker set the time with `LogAppendTime`.",
    requirements=("R27", "R29"),
    check=check,
    good=(
        """\
version: 1
cluster: {kafka: "4.1"}
topics:
  orders: {partitions: 6, replication: 3}
""",
        """\
version: 1
cluster: {kafka: "3.9"}
topics:
  orders: {partitions: 6, replication: 3, config: {message.timestamp.type: LogAppendTime}}
""",
    ),
    bad=(
        Bad(
            """\
version: 1
cluster: {kafka: "3.9"}
topics:
  orders:
    partitions: 6
    replication: 3
""",
            line=4,
            column=3,
        ),
        Bad(
            """\
version: 1
cluster: {kafka: "4.1"}
topics:
  orders: {partitions: 6, replication: 3, config: {message.timestamp.after.max.ms: 9223372036854775807}}
""",
            line=4,
            column=84,
        ),
    ),
)
