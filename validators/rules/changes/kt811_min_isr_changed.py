from __future__ import annotations

from collections.abc import Iterator

from kafka_topology.topology.model.findings import Severity
from kafka_topology.validators.engine.examples import ORDERS_BLOCK, changed, orders_with
from kafka_topology.validators.engine.helpers import has_min_isr, problem_with
from kafka_topology.validators.engine.rule import Bad, Context, Problem, rule

DOCS = """\
# KT811: min-isr-changed

`min.insync.replicas` is lowered, or raised so far that it may block writers.

Lowering it weakens what `acks=all` promises to every producer of the topic, without their knowledge. Raising it to the
number of replicas takes effect at once: if one replica is out of sync, the topic refuses its writers from that moment
on. With eligible leader replicas (KIP-966, on new clusters from 4.1 on), each change also forgets which replicas
outside the ISR could still become leader.

Fix: Keep it one below the replication, normally 2 of 3.
"""


def check(context: Context) -> Iterator[Problem]:
    if not has_min_isr(context.topology.cluster):
        return
    for _, topic, was, now in context.changes.numbers("min.insync.replicas"):
        setting = context.settings.topic(topic, "min.insync.replicas")
        if setting is None:
            continue
        if now < was:
            effect, expected = f"an acknowledged record may be on {now} of {topic.replication} replicas", f"{was}"
        elif now >= topic.replication:
            effect, expected = (
                f"acks=all writers stop when one of {topic.replication} replicas is unavailable",
                f"at most {max(topic.replication - 1, 1)}",
            )
        else:
            continue
        yield problem_with(
            setting,
            topic,
            f"min.insync.replicas goes from {was} to {now}, so {effect}; expected {expected}",
            f"keep {was}, unless this is intended",
        )


BEFORE = orders_with("config: {min.insync.replicas: 2}")

GOOD = (changed(BEFORE, {"partitions: 6": "partitions: 12"}),)
BAD = (
    Bad(changed(BEFORE, {"min.insync.replicas: 2": "min.insync.replicas: 1"}), line=3, column=73),
    Bad(changed(BEFORE, {"min.insync.replicas: 2": "min.insync.replicas: 3"}), line=3, column=73),
    Bad(ORDERS_BLOCK, line=3, column=3),
)

RULE = rule(
    DOCS,
    Severity.WARNING,
    check,
    GOOD,
    BAD,
    before=BEFORE,
    changed=("topic.config.min.insync.replicas",),
    requirements=("R1", "R16"),
)
