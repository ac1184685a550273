from __future__ import annotations

from collections.abc import Iterator

from ...topology.findings import Edit, Severity
from ..rule import Bad, Context, Problem, Rule


def check(context: Context) -> Iterator[Problem]:
    for topic in context.topology.topics.values():
        min_isr = context.settings.topic(topic, "min.insync.replicas")
        if min_isr is None or min_isr.number is None or min_isr.number < topic.replication:
            continue
        if topic.replication == 1 and min_isr.number == 1:
            continue  # a single replica has no spare to lose; KT103 speaks of that
        expected = max(topic.replication - 1, 1)
        effect = (
            "one lost broker stops every acks=all writer"
            if min_isr.number == topic.replication
            else "no acks=all write can ever succeed"
        )
        yield Problem(
            f"{topic.name}: min.insync.replicas is {min_isr.number} with {topic.replication} replicas, so {effect};"
            f" expected at most {expected}",
            min_isr.place,
            topic.name,
            f"set min.insync.replicas to {expected}, or raise replication above {min_isr.number}",
            edits=(Edit(min_isr.place.location, str(expected)),) if min_isr.is_declared else (),
        )


RULE = Rule(
    id="KT101",
    name="min-isr-not-below-replication",
    severity=Severity.ERROR,
    summary="`min.insync.replicas` is equal to, or above, the number of replicas.",
    why="""\
A write with `acks=all` succeeds only while `min.insync.replicas` replicas are in sync. When that number is the number
of replicas, every replica must be there: one broker that restarts, and every such writer stops. Above it, no write
ever succeeds.""",
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
