from __future__ import annotations

from collections.abc import Iterator

from kafka_topology.topology.kafka.clients.promises import acks_keep
from kafka_topology.topology.model.declared import StreamsApplication
from kafka_topology.topology.model.findings import Severity
from kafka_topology.validators.engine.examples import CHECKOUT, CLICKS, ORDERS, SUMMING, TRACKER, changed
from kafka_topology.validators.engine.helpers import problem_with
from kafka_topology.validators.engine.in_library import to_set
from kafka_topology.validators.engine.rule import Bad, Context, Problem, rule

DOCS = """\
# KT401: acks-below-delivery

A producer that promises at-least-once or exactly-once does not wait for all in-sync replicas.

With `acks=0`, nobody confirms that a record arrived. With `acks=1`, only the leader has it: if that broker fails
before a follower copies the record, an acknowledged record is lost. Only `acks=all` waits until every in-sync replica
has it, so only `all` can keep a promise of at-least-once or exactly-once. A Kafka Streams application has a producer
even if it writes only the changelogs of its own state; with `exactly_once_v2`, it does not start without `acks=all`.

Fix: Set `acks: all`, which is Kafka's default, or declare `delivery: at-most-once`.
"""

_LOSES = {
    "0": "a record that never reached the broker counts as written",
    "1": "an acknowledged record is lost with its leader",
}


def check(context: Context) -> Iterator[Problem]:
    for writer in context.index.clients.senders:
        if acks_keep(writer.delivery, writer.value("acks") or "all"):
            continue
        acks = writer.acks
        if acks is None:
            continue
        loses = _LOSES.get(acks.value, "not every in-sync replica needs to have the record")
        fix = to_set(writer.declared, "acks", "all")
        if isinstance(writer.declared, StreamsApplication) and writer.in_transactions:
            yield problem_with(
                acks,
                writer,
                f"acks is {acks.value} with exactly-once processing, so the application does not start; expected all",
                fix,
                edit="all",
            )
            continue
        yield problem_with(
            acks,
            writer,
            f"acks is {acks.value} with {writer.delivery} delivery, so {loses}; expected all",
            f"{fix}, or declare `delivery: at-most-once` if records may be lost",
            edit="all",
        )


COUNTING = "streams:\n  counting:\n    reads: [orders]\n"
EXAMPLE = ORDERS + CHECKOUT + "    config: {acks: all}\n"

GOOD = (EXAMPLE, CLICKS + TRACKER + "    config: {acks: 0}\n")
BAD = (
    Bad(changed(EXAMPLE, {"config: {acks: all}": "delivery: at-least-once\n    config: {acks: 1}"}), line=8, column=20),
    Bad(ORDERS + SUMMING + "    config:\n      producer.acks: 0\n", line=10, column=22),
    Bad(ORDERS + COUNTING + "    config: {producer.acks: 1}\n", line=7, column=29),
    Bad(ORDERS + COUNTING + "    delivery: exactly-once\n    config: {producer.acks: 1}\n", line=8, column=29),
    Bad(ORDERS + COUNTING + "    config: {processing.guarantee: exactly_once_v2, acks: 1}\n", line=7, column=59),
)

RULE = rule(DOCS, Severity.ERROR, check, GOOD, BAD, requirements=("R16", "R18"))
