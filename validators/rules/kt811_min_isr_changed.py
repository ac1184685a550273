from __future__ import annotations

from collections.abc import Iterator

from ...topology.findings import Severity
from ..helpers import place_of
from ..rule import Bad, Context, Problem, Rule


def check(context: Context) -> Iterator[Problem]:
    for _, topic, was, now in context.changes.numbers("min.insync.replicas"):
        setting = context.settings.topic(topic, "min.insync.replicas")
        if setting is None:
            continue
        if now < was:
            effect, expected = f"an acknowledged record may be on {now} of {topic.replication} replicas", f"{was}"
        elif now >= topic.replication:
            effect, expected = (
                f"acks=all writers stop when one of {topic.replication} replicas is away",
                f"at most {max(topic.replication - 1, 1)}",
            )
        else:
            continue
        yield Problem(
            f"{topic.name}: min.insync.replicas goes from {was} to {now}, so {effect}; expected {expected}",
            place_of(setting, topic),
            topic.name,
            f"keep {was}, unless this is meant",
        )


RULE = Rule(
    id="KT811",
    name="min-isr-changed",
    severity=Severity.WARNING,
    summary="`min.insync.replicas` is lowered, or raised so far that writers may be blocked.",
    why="""\
Lowered, it weakens what `acks=all` promises, for every producer of the topic and without their knowing. Raised to the
number of replicas, it takes effect at once: a topic with one replica out of sync refuses its writers from that moment
on.""",
    fix="Keep it one below the replication, normally 2 of 3.",
    requirements=("R1", "R16"),
    about_changes=True,
    before="""\
version: 1
topics:
  orders: {partitions: 6, replication: 3, config: {min.insync.replicas: 2}}
""",
    check=check,
    good=(
        """\
version: 1
topics:
  orders: {partitions: 12, replication: 3, config: {min.insync.replicas: 2}}
""",
    ),
    bad=(
        Bad(
            """\
version: 1
topics:
  orders: {partitions: 6, replication: 3, config: {min.insync.replicas: 1}}
""",
            line=3,
            column=73,
        ),
        Bad(
            """\
version: 1
topics:
  orders: {partitions: 6, replication: 3, config: {min.insync.replicas: 3}}
""",
            line=3,
            column=73,
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
