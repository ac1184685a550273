from __future__ import annotations

from collections.abc import Iterator

from ...topology.findings import Severity
from ...topology.units import format_duration, format_size
from ..helpers import place_of
from ..rule import Bad, Context, Problem, Rule


def check(context: Context) -> Iterator[Problem]:
    policy = context.index.topic_items("cleanup.policy")
    for name in ("retention.ms", "retention.bytes"):
        for _, topic, was, now in context.changes.numbers(name):
            if now < 0 or 0 <= was < now or "delete" not in policy(topic):
                continue
            setting = context.settings.topic(topic, name)
            if setting is None:
                continue
            before, after = _shown(name, was), _shown(name, now)
            what = f"records older than {after}" if name == "retention.ms" else f"what is above {after} in a partition"
            yield Problem(
                f"{topic.name}: {name} goes from {before} to {after}, so {what} can be deleted at once;"
                f" expected {before}, or readers that are done with it",
                place_of(setting, topic),
                topic.name,
                f"make sure that no reader still needs {what}: it cannot be brought back",
            )


def _shown(name: str, value: int) -> str:
    if value < 0:
        return "for ever" if name == "retention.ms" else "no limit"
    return format_duration(value) if name == "retention.ms" else format_size(value)


RULE = Rule(
    id="KT805",
    name="retention-shortened",
    severity=Severity.WARNING,
    summary="A topic keeps its records for less than before.",
    why="""\
Brokers look at the new retention within minutes, and delete every closed segment that is too old or too much. A reader
that is behind, or that was to read from the beginning, misses them. Making the retention longer again brings nothing
back.""",
    fix="Compare the new retention with the `maxOutage` and the lag of every reader before you apply it.",
    requirements=("R27",),
    about_changes=True,
    before="""\
version: 1
topics:
  orders: {partitions: 6, replication: 3, retention: 7d}
""",
    check=check,
    good=(
        """\
version: 1
topics:
  orders: {partitions: 6, replication: 3, retention: 14d}
""",
    ),
    bad=(
        Bad(
            """\
version: 1
topics:
  orders: {partitions: 6, replication: 3, retention: 1d}
""",
            line=3,
            column=54,
        ),
        Bad(
            """\
version: 1
topics:
  orders: {partitions: 6, replication: 3, retention: 7d, config: {retention.bytes: 1GiB}}
""",
            line=3,
            column=84,
        ),
        Bad(
            """\
version: 1
cluster: {defaults: {log.retention.hours: 24}}
topics:
  orders: {partitions: 6, replication: 3}
""",
            line=2,
            column=43,
        ),
    ),
)
