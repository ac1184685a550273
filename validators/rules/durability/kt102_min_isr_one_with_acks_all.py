from __future__ import annotations

from collections.abc import Iterator

from kafka_topology.topology.kafka.clients.promises import means_all
from kafka_topology.topology.model.findings import Related, Severity
from kafka_topology.validators.engine.examples import ORDERS, ORDERS_BLOCK, on_cluster, orders_with
from kafka_topology.validators.engine.helpers import has_min_isr, problem_with, shown
from kafka_topology.validators.engine.rule import Bad, Context, Problem, rule
from kafka_topology.validators.facts.client_roles import Writer

DOCS = """\
# KT102: min-isr-one-with-acks-all

`min.insync.replicas` is 1 on a topic whose producer must not lose records.

`acks=all` waits for the replicas that are in sync *at that moment*. With `min.insync.replicas` of 1, that can be
the leader alone: it acknowledges, its disk fails, and the record is gone although it was acknowledged. If the file
declares no writer, somebody else writes the topic, and the rule expects that they want to keep their records; KT107
reports a topic on which nobody set the value. A topic whose writers all declare `delivery: at-most-once` may have 1.

Redpanda waits for the majority of the replicas instead, so the rule does not apply there.

Fix: Set `min.insync.replicas` one below `replication`: 2 of 3.
"""


def check(context: Context) -> Iterator[Problem]:
    if not has_min_isr(context.topology.cluster):
        return
    min_isr_of = context.index.topic_number("min.insync.replicas")
    for topic in context.topology.topics.values():
        if topic.replication < 3 or min_isr_of(topic) != 1:
            continue  # KT103 and KT105 report fewer than three replicas
        writers = context.index.clients.writers_of(topic.name)
        writer = next(filter(_needs_acks_all, writers), None)
        min_isr = context.settings.topic(topic, "min.insync.replicas")
        if min_isr is None or (writer is None and (writers or not min_isr.is_declared)):
            continue
        whose = writer.name if writer is not None else "its producers"
        expected = topic.replication - 1
        yield problem_with(
            min_isr,
            topic,
            f"min.insync.replicas is {shown(min_isr)}, so acks=all of {whose} may mean a single"
            f" replica; expected {expected} with {topic.replication} replicas",
            f"set min.insync.replicas to {expected}",
            edit=str(expected),
            related=(
                (Related(writer.declared.location, f"{writer.name} promises {writer.delivery}"),) if writer else ()
            ),
        )


def _needs_acks_all(writer: Writer) -> bool:
    """Whether it promises not to lose records, or asks for all acknowledgements by name."""
    if writer.delivery != "at-most-once":
        return True
    acks = writer.acks
    return acks is not None and acks.is_declared and means_all(acks.value)


GOOD = (
    orders_with("config: {min.insync.replicas: 2}")
    + """\
  metrics: {partitions: 6, replication: 3, config: {min.insync.replicas: 1}}
producers:
  checkout: {topics: [orders], delivery: at-least-once}
  agent: {topics: [metrics], delivery: at-most-once}
""",
    on_cluster("distribution: redpanda", orders_with("config: {min.insync.replicas: 1}")),
)
BAD = (
    Bad(
        orders_with("config: {min.insync.replicas: 1}")
        + "producers:\n  checkout: {topics: [orders], delivery: at-least-once}\n",
        line=3,
        column=73,
    ),
    Bad(
        ORDERS_BLOCK + "streams:\n  enrich: {reads: [orders], writes: [orders], delivery: exactly-once}\n",
        line=3,
        column=3,
    ),
    Bad(
        on_cluster(
            "defaults: {min.insync.replicas: 1}",
            ORDERS
            + """\
producers:
  checkout: {topics: [orders], delivery: at-most-once, config: {acks: all}}
""",
        ),
        line=2,
        column=43,
    ),
    Bad(
        ORDERS + 'producers:\n  checkout: {topics: [orders], delivery: at-most-once, config: {acks: " ALL"}}\n',
        line=3,
        column=11,
    ),
    Bad(orders_with("config: {min.insync.replicas: 1}"), line=3, column=73),
    Bad(on_cluster("defaults: {min.insync.replicas: 1}", ORDERS), line=2, column=43),
)

RULE = rule(DOCS, Severity.WARNING, check, GOOD, BAD, requirements=("R1", "R16"))
