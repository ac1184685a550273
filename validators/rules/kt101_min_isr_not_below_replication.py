from __future__ import annotations

from collections.abc import Iterator

from ...topology.findings import Severity
from ..helpers import own_edit, place_of
from ..rule import Bad, Context, Problem, Rule


def check(context: Context) -> Iterator[Problem]:
    number_of = context.index.topic_number("min.insync.replicas")
    for topic in context.topology.topics.values():
        number = number_of(topic)
        if number is None or number < topic.replication:
            continue
        if topic.replication == 1 and number == 1:
            continue  # a single replica has no spare to lose; KT103 speaks of that
        min_isr = context.settings.topic(topic, "min.insync.replicas")
        if min_isr is None:
            continue
        expected = max(topic.replication - 1, 1)
        yield Problem(
            f"{topic.name}: min.insync.replicas is {number} with {topic.replication} replicas, so one lost"
            f" broker stops every acks=all writer; expected at most {expected}",
            place_of(min_isr, topic),
            topic.name,
            f"set min.insync.replicas to {expected}, or raise replication above {number}",
            edits=own_edit(min_isr, str(expected)) if expected > 1 else (),
        )


RULE = Rule(
    id="KT101",
    name="min-isr-not-below-replication",
    severity=Severity.ERROR,
    summary="`min.insync.replicas` is equal to, or above, the number of replicas.",
    why="""\
A write with `acks=all` succeeds only while `min.insync.replicas` replicas are in sync. When that number is the number
of replicas, every replica must be there: one broker that restarts, and every such writer stops. Above it, the same
holds on brokers that count no more than there are, and on older ones no write ever succeeds.""",
    fix="Set `min.insync.replicas` one below `replication`: 2 of 3 survives one lost broker without losing a record.",
    requirements=("R1",),
    check=check,
    good=(
        """\
version: 1
topics:
  orders:
    partitions: 6
    replication: 3
    config:
      min.insync.replicas: 2
""",
    ),
    bad=(
        Bad(
            """\
version: 1
topics:
  orders:
    partitions: 6
    replication: 3
    config:
      min.insync.replicas: 3
""",
            line=7,
            column=28,
        ),
        Bad(
            """\
version: 1
profiles:
  event: {replication: 2, config: {min.insync.replicas: 2}}
topics:
  orders: {profile: event, partitions: 6}
""",
            line=3,
            column=57,
        ),
    ),
)
