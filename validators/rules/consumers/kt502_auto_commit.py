from __future__ import annotations

from collections.abc import Iterator

from kafka_topology.topology.kafka.clients.libraries import library_of
from kafka_topology.topology.kafka.clients.promises import auto_commit_breaks
from kafka_topology.topology.model.findings import Severity
from kafka_topology.topology.model.units import kafka_true
from kafka_topology.validators.engine.examples import BILLING, CLICKS, ORDERS
from kafka_topology.validators.engine.helpers import problem_with, shown
from kafka_topology.validators.engine.in_library import to_set
from kafka_topology.validators.engine.rule import Bad, Context, Problem, rule
from kafka_topology.validators.facts.client_roles import Reader
from kafka_topology.validators.facts.halves import transactional_halves

DOCS = """\
# KT502: auto-commit

A group commits its offsets on a timer, which keeps no promise by itself.

Auto-commit, Kafka's default, commits in `poll` what the poll before it delivered, processed or not. It is at-least-once
only in a loop that finishes all records of a poll before it polls again, in the same thread. An application that passes
records to other threads, or that skips a record after an error, loses those that were committed but not processed. The
file does not show the loop, so this is a warning. Exactly-once commits the offsets in the transaction: there it is an
error. At-most-once commits before it processes: after a crash, auto-commit delivers processed records again. A share
group acknowledges each record, so the rule skips it.

Some libraries commit only what was processed, and then auto-commit is at-least-once: KafkaJS, which waits until
`eachMessage` or `eachBatch` returned; librdkafka with `enable.auto.offset.store: false`, where the application stores
the offsets of processed records; and franz-go with `AutoCommitMarks`. With a transactional id, franz-go turns
auto-commit off: the rule skips an exactly-once group whose producer, by principal or name, is franz-go and has one.
kafka-go has no such setting: its `ReadMessage` commits a record before the application has it, `FetchMessage` does not.
The file does not show which is called; `kafka-topology clients` says which one to call.

Fix: Set `enable.auto.commit: false` and commit after processing; for at-most-once, commit before it. If the loop of an
at-least-once group processes each poll completely, suppress the rule and say so.
"""


def check(context: Context) -> Iterator[Problem]:
    for reader in context.index.clients.groups:
        if not kafka_true(reader.value("enable.auto.commit")):
            continue
        auto_commit = reader.setting("enable.auto.commit")
        if auto_commit is None:
            continue
        if reader.delivery == "at-most-once":
            yield problem_with(
                auto_commit,
                reader,
                f"enable.auto.commit is {shown(auto_commit)} with at-most-once delivery, which delivers processed"
                " records again after a crash; expected false",
                "set enable.auto.commit to false, and commit in the application before it processes the records",
            )
            continue
        if reader.delivery == "exactly-once" and _in_transactions(context, reader):
            continue
        if reader.delivery == "at-least-once" and _only_processed(reader):
            continue
        exactly_once = auto_commit_breaks(reader.delivery, auto_commit.value)
        yield problem_with(
            auto_commit,
            reader,
            f"enable.auto.commit is {shown(auto_commit)} with {reader.delivery} delivery; expected false"
            + ("" if exactly_once else ", unless each poll is processed completely before the next"),
            f"{to_set(reader.declared, 'enable.auto.commit', 'false')}, and commit in the application after it has"
            " processed the records",
            severity=Severity.ERROR if exactly_once else None,
        )


def _only_processed(reader: Reader) -> bool:
    library = library_of(reader.declared)
    return library is not None and reader.group is not None and library.commits_only_processed(reader.group.config)


def _in_transactions(context: Context, reader: Reader) -> bool:
    """Whether the library turns auto-commit off, because the same client writes in transactions."""
    library, group = library_of(reader.declared), reader.group
    if library is None or group is None or not library.commits_in_transactions:
        return False
    return any(library_of(each) is library for each in transactional_halves(context.topology, group))


TRANSFORM = (
    ORDERS
    + """\
producers:
  billing: {topics: [orders], delivery: exactly-once, transactionalId: billing-, library: franz-go}
consumerGroups:
  billing: {topics: [orders], delivery: exactly-once, library: franz-go}
"""
)

GOOD = (
    TRANSFORM,
    ORDERS
    + """\
consumerGroups:
  billing: {topics: [orders], delivery: at-least-once, config: {enable.auto.commit: false}}
""",
    CLICKS
    + "consumerGroups:\n  dashboard: {topics: [clicks], delivery: at-most-once, config: {enable.auto.commit: false}}\n",
    ORDERS + BILLING + "    library: librdkafka\n    config: {enable.auto.offset.store: false}\n",
    ORDERS + BILLING + "    library: kafkajs\n",
)
BAD = (
    Bad(ORDERS + BILLING + "    delivery: at-least-once\n    config: {enable.auto.commit: true}\n", line=8, column=34),
    Bad(ORDERS + BILLING, line=5, column=3),
    Bad(
        ORDERS + BILLING + "    delivery: exactly-once\n    config:\n      isolation.level: read_committed\n",
        line=5,
        column=3,
    ),
    Bad(ORDERS + BILLING + "    library: librdkafka\n", line=5, column=3),
    Bad(CLICKS + "consumerGroups:\n  dashboard: {topics: [clicks], delivery: at-most-once}\n", line=5, column=14),
    Bad(ORDERS + BILLING + "    delivery: exactly-once\n    library: sarama\n", line=5, column=3),
    Bad(ORDERS + BILLING + "    delivery: exactly-once\n    library: franz-go\n", line=5, column=3),
)

RULE = rule(DOCS, Severity.WARNING, check, GOOD, BAD, requirements=("R19", "R18"))
