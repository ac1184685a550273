from __future__ import annotations

from collections.abc import Iterator

from ...topology.findings import Severity
from ...topology.units import format_size
from ..helpers import place_of
from ..rule import Bad, Context, Problem, Rule


def check(context: Context) -> Iterator[Problem]:
    for _, topic, was, now in context.changes.numbers("max.message.bytes"):
        setting = context.settings.topic(topic, "max.message.bytes")
        if now > was or setting is None:
            continue
        writers = ", ".join(writer.name for writer in context.index.clients.writers_of(topic.name))
        yield Problem(
            f"{topic.name}: max.message.bytes goes from {format_size(was)} to {format_size(now)}, so larger records"
            f" are refused from now on; expected {format_size(was)}",
            place_of(setting, topic),
            topic.name,
            f"no record of {writers or 'its producers'} may be larger than"
            f" {format_size(now)}, or keep {format_size(was)}",
        )


RULE = Rule(
    id="KT814",
    name="maximum-message-lowered",
    severity=Severity.WARNING,
    summary="A topic takes smaller messages than before.",
    why="""\
A producer that was fine until now gets RecordTooLargeException for its large records, perhaps once a week, and drops
them. Records that are already there stay.""",
    fix="Look at the largest records of every producer first, and lower `max.request.size` there as well.",
    requirements=("R17",),
    about_changes=True,
    before="""\
version: 1
topics:
  orders: {partitions: 6, replication: 3, config: {max.message.bytes: 5MiB}}
""",
    check=check,
    good=(
        """\
version: 1
topics:
  orders: {partitions: 6, replication: 3, config: {max.message.bytes: 8MiB}}
""",
    ),
    bad=(
        Bad(
            """\
version: 1
topics:
  orders: {partitions: 6, replication: 3, config: {max.message.bytes: 1MiB}}
""",
            line=3,
            column=71,
        ),
        Bad(
            """\
version: 1
topics:
  orders:
    partitions: 6
    replication: 3
""",
            line=3,
            column=3,
        ),
    ),
)
