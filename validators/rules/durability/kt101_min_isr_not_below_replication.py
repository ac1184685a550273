from __future__ import annotations

from collections.abc import Iterator

from kafka_topology.topology.model.findings import Severity
from kafka_topology.topology.model.words import counted
from kafka_topology.validators.engine.examples import ORDERS_BLOCK, changed, inheriting, orders_with
from kafka_topology.validators.engine.helpers import has_min_isr, problem_with
from kafka_topology.validators.engine.rule import Bad, Context, Problem, rule

DOCS = """\
# KT101: min-isr-not-below-replication

`min.insync.replicas` is equal to or above the number of replicas.

A write with `acks=all` succeeds only while `min.insync.replicas` replicas are in sync. If that is all of them, one
restarting broker stops every such writer. If it is more, newer brokers treat it as all of them, and on older
brokers no write ever succeeds.

`--fix` lowers the value to one below `replication`, and never to 1. While all replicas are in sync, `acks=all` still
waits for all of them. Only while one is down, an acknowledged record has one copy less: two of three, which survive
the loss of one more broker. Kafka's documentation recommends the same numbers. If acknowledged records must survive
the loss of two brokers at any time, raise `replication` instead. `--fix` does not do that: it copies all records to
more disks and can need another broker. With two replicas no number is safe: raise `replication` to 3.

Redpanda waits for the majority of the replicas, whatever the value is, so the rule does not apply there.

Fix: Set `min.insync.replicas` one below `replication`: 2 of 3 survives the loss of one broker without losing a record.
"""


def check(context: Context) -> Iterator[Problem]:
    if not has_min_isr(context.topology.cluster):
        return
    number_of = context.index.topic_number("min.insync.replicas")
    for topic in context.topology.topics.values():
        number = number_of(topic)
        if number is None or number < topic.replication:
            continue
        if topic.replication == 1 and number == 1:
            continue  # KT103 reports a single replica
        min_isr = context.settings.topic(topic, "min.insync.replicas")
        if min_isr is None:
            continue
        expected = max(topic.replication - 1, 1)
        wanted = f"at most {expected}" if expected > 1 else "more replicas"
        yield problem_with(
            min_isr,
            topic,
            f"min.insync.replicas is {number} with {counted(topic.replication, 'replica')}, so"
            f" {_effect(number, topic.replication)}; expected {wanted}",
            _fix(expected, number),
            edit=str(expected) if expected > 1 else None,
        )


def _fix(expected: int, number: int) -> str:
    if expected == 1:
        return f"raise replication to {max(number + 1, 3)}: with min.insync.replicas of 1, acks=all protects nothing"
    return f"set min.insync.replicas to {expected}, or raise replication above {number}"


def _effect(number: int, replicas: int) -> str:
    if number == replicas:
        return "one lost broker stops every acks=all writer"
    return "older brokers refuse every acks=all write, and newer ones stop it when one broker is lost"


EXAMPLE = ORDERS_BLOCK + "    config:\n      min.insync.replicas: 2\n"

GOOD = (EXAMPLE,)
BAD = (
    Bad(changed(EXAMPLE, {"min.insync.replicas: 2": "min.insync.replicas: 3"}), line=7, column=28),
    Bad(inheriting("replication: 2, config: {min.insync.replicas: 2}"), line=3, column=57),
    Bad(orders_with('config: {min.insync.replicas: " 03"}'), line=3, column=73),
)

RULE = rule(DOCS, Severity.ERROR, check, GOOD, BAD, requirements=("R1",), judges_parts=True)
