from __future__ import annotations

from collections.abc import Iterator

from ...topology.findings import Related, Severity
from ...topology.model import Producer, StreamsApplication
from ..helpers import own_edit, place_of, shown
from ..partitioners import name_of
from ..rule import Bad, Context, Problem, Rule


def check(context: Context) -> Iterator[Problem]:
    min_isr_of = context.index.topic_number("min.insync.replicas")
    for topic in context.topology.topics.values():
        if topic.replication < 3 or min_isr_of(topic) != 1:
            continue  # KT103 and KT105 speak of fewer than three replicas
        writer = next(filter(_needs_acks_all, context.index.writers_of(topic.name)), None)
        min_isr = context.settings.topic(topic, "min.insync.replicas")
        if writer is None or min_isr is None:
            continue
        name = name_of(writer)
        expected = topic.replication - 1
        yield Problem(
            f"{topic.name}: min.insync.replicas is {shown(min_isr)}, so acks=all of {name} may mean one replica only;"
            f" expected {expected} with {topic.replication} replicas",
            place_of(min_isr, topic),
            topic.name,
            f"set min.insync.replicas to {expected}",
            (Related(writer.location, f"{name} promises {writer.delivery}"),),
            own_edit(min_isr, str(expected)),
        )


def _needs_acks_all(writer: Producer | StreamsApplication) -> bool:
    return writer.delivery != "at-most-once" or writer.config.get("acks") in ("all", "-1")


RULE = Rule(
    id="KT102",
    name="min-isr-one-with-acks-all",
    severity=Severity.WARNING,
    summary="`min.insync.replicas` is 1 on a topic whose producer must not lose records.",
    why="""\
`acks=all` waits for the replicas that are in sync *at that moment*. With `min.insync.replicas` of 1 that can be the
leader alone: it acknowledges, its disk fails, and the record is gone although the producer was told it is safe.""",
    fix="Set `min.insync.replicas` one below `replication`: 2 of 3.",
    requirements=("R1", "R16"),
    check=check,
    good=(
        """\
version: 1
topics:
  orders: {partitions: 6, replication: 3, config: {min.insync.replicas: 2}}
  metrics: {partitions: 6, replication: 3, config: {min.insync.replicas: 1}}
producers:
  checkout: {topics: [orders], delivery: at-least-once}
  agent: {topics: [metrics], delivery: at-most-once}
""",
    ),
    bad=(
        Bad(
            """\
version: 1
topics:
  orders: {partitions: 6, replication: 3, config: {min.insync.replicas: 1}}
producers:
  checkout: {topics: [orders], delivery: at-least-once}
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
streams:
  enrich: {reads: [orders], writes: [orders], delivery: exactly-once}
""",
            line=3,
            column=3,
        ),
        Bad(
            """\
version: 1
cluster: {defaults: {min.insync.replicas: 1}}
topics:
  orders: {partitions: 6, replication: 3}
producers:
  checkout: {topics: [orders], delivery: at-most-once, config: {acks: all}}
""",
            line=2,
            column=43,
        ),
    ),
)
