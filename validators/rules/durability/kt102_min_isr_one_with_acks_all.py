from __future__ import annotations

from collections.abc import Iterator

from kafka_topology.topology.model.declared import Producer, StreamsApplication
from kafka_topology.topology.model.findings import Related, Severity
from kafka_topology.validators.engine.examples import ORDERS, ORDERS_BLOCK, on_cluster, orders_with
from kafka_topology.validators.engine.helpers import problem_with, shown
from kafka_topology.validators.engine.rule import Bad, Context, Problem, rule
from kafka_topology.validators.facts.partitioners import name_of

DOCS = """\
# KT102: min-isr-one-with-acks-all

`min.insync.replicas` is 1 on a topic whose producer must not lose records.

`acks=all` waits for the replicas that are in sync *at that moment*. With `min.insync.replicas` of 1, that can be
the leader alone: it acknowledges, its disk fails, and the record is gone although it was acknowledged.

Fix: Set `min.insync.replicas` one below `replication`: 2 of 3.
"""


def check(context: Context) -> Iterator[Problem]:
    min_isr_of = context.index.topic_number("min.insync.replicas")
    for topic in context.topology.topics.values():
        if topic.replication < 3 or min_isr_of(topic) != 1:
            continue  # KT103 and KT105 report fewer than three replicas
        writer = next(filter(_needs_acks_all, context.index.writers_of(topic.name)), None)
        min_isr = context.settings.topic(topic, "min.insync.replicas")
        if writer is None or min_isr is None:
            continue
        name = name_of(writer)
        expected = topic.replication - 1
        yield problem_with(
            min_isr,
            topic,
            f"min.insync.replicas is {shown(min_isr)}, so acks=all of {name} may mean a single"
            f" replica; expected {expected} with {topic.replication} replicas",
            f"set min.insync.replicas to {expected}",
            edit=str(expected),
            related=(Related(writer.location, f"{name} promises {writer.delivery}"),),
        )


def _needs_acks_all(writer: Producer | StreamsApplication) -> bool:
    return writer.delivery != "at-most-once" or writer.config.get("acks") in ("all", "-1")


GOOD = (
    orders_with("config: {min.insync.replicas: 2}")
    + """\
  metrics: {partitions: 6, replication: 3, config: {min.insync.replicas: 1}}
producers:
  checkout: {topics: [orders], delivery: at-least-once}
  agent: {topics: [metrics], delivery: at-most-once}
""",
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
)

RULE = rule(DOCS, Severity.WARNING, check, GOOD, BAD, requirements=("R1", "R16"))
