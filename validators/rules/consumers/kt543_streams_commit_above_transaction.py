from __future__ import annotations

from collections.abc import Iterator

from kafka_topology.topology.kafka.clients.streams import COMMIT_INTERVAL, TRANSACTION_TIMEOUT, late_commit
from kafka_topology.topology.model.findings import Severity
from kafka_topology.topology.model.units import format_duration
from kafka_topology.validators.engine.examples import ORDERS, SUMMING, changed
from kafka_topology.validators.engine.rule import Bad, Context, Problem, rule

DOCS = """\
# KT543: streams-commit-above-transaction

An exactly-once Streams application commits less often than its transactions may last.

With exactly-once, Kafka Streams commits every 100 ms, and its transactions may last 10 seconds. If
`commit.interval.ms` is above `producer.transaction.timeout.ms`, `new KafkaStreams` throws an
IllegalArgumentException. It does not look at `transaction.timeout.ms` without the prefix. The usual reason is a
`commit.interval.ms` of 30 seconds that was left from at-least-once.

Fix: Remove `commit.interval.ms`, or raise `producer.transaction.timeout.ms` above it.
"""


def check(context: Context) -> Iterator[Problem]:
    for name, application in context.topology.streams.items():
        late = late_commit(application)
        if late is None:
            continue
        commit, timeout = late
        whose = "" if TRANSACTION_TIMEOUT in application.config else " (Kafka Streams' default with exactly-once)"
        yield Problem(
            f"{name}: commit.interval.ms is {format_duration(commit)}, above the transaction timeout of"
            f" {format_duration(timeout)}{whose}, so the application does not start; expected less",
            application.place("config", COMMIT_INTERVAL),
            name,
            f"remove {COMMIT_INTERVAL}, or set {TRANSACTION_TIMEOUT} above it",
        )


EXAMPLE = ORDERS + SUMMING + "    delivery: exactly-once\n    config: {commit.interval.ms: 1s}\n"

GOOD = (
    EXAMPLE,
    changed(EXAMPLE, {"1s}": "30s, producer.transaction.timeout.ms: 1m}"}),
    changed(EXAMPLE, {"1s}": "6s, transaction.timeout.ms: 5s}"}),
    changed(EXAMPLE, {"    delivery: exactly-once\n": "", "1s": "30s"}),
)
BAD = (
    Bad(changed(EXAMPLE, {"1s}": "30s, transaction.timeout.ms: 1m}"}), line=10, column=34),
    Bad(changed(EXAMPLE, {"1s": "30s"}), line=10, column=34),
    Bad(changed(EXAMPLE, {"1s}": "5m, producer.transaction.timeout.ms: 1m}"}), line=10, column=34),
)

RULE = rule(DOCS, Severity.ERROR, check, GOOD, BAD, requirements=("R18",))
