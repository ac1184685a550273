"""What open transactions hide, in words."""

from __future__ import annotations

from datetime import datetime

from kafka_topology.cluster.live.transactions import OpenTransaction, age_of, is_hanging
from kafka_topology.spark_checks.reading.hidden import Hidden
from kafka_topology.spark_checks.results.report import TopicReport
from kafka_topology.topology.model.words import counted, duration_text, escaped

HANGING = "hanging-transaction"
_MOST = 5


def hidden_lines(report: TopicReport) -> list[str]:
    """A sentence for each partition; the first few, and how many more there are."""
    lines = [_line(hidden) for hidden in report.hidden[:_MOST]]
    more = len(report.hidden) - _MOST
    return [*lines, f"and {counted(more, 'more partition')} with open transactions"] if more > 0 else lines


def hanging_message(report: TopicReport) -> str:
    """What is wrong, in one sentence."""
    hidden, transaction = _first_hanging(report)
    where = f"partition {hidden.offsets.partition}, offset {transaction.first_offset}"
    others = report.hanging - 1
    more = f"; {counted(others, 'more transaction')} of the topic as well" if others else ""
    return (
        f"{report.topic}: a transaction hangs at {where}, {_who(transaction, hidden.seen_at)}: consumers that read"
        f" committed records only get nothing behind it{more}"
    )


def hanging_fix(report: TopicReport) -> str:
    hidden, transaction = _first_hanging(report)
    return (
        "end it with Kafka's own tool: kafka-transactions.sh --bootstrap-server … abort"
        f" --topic {report.topic} --partition {hidden.offsets.partition} --start-offset {transaction.first_offset}"
    )


def _first_hanging(report: TopicReport) -> tuple[Hidden, OpenTransaction]:
    return next((hidden, each) for hidden in report.hidden for each in hidden.hanging)


def _line(hidden: Hidden) -> str:
    part = hidden.offsets
    said = f"gap: offsets {part.start} to {part.end - 1} of partition {part.partition} are behind an open transaction"
    if hidden.unknown is not None:
        return f"{said}, whose producer is unknown ({hidden.unknown})"
    if not hidden.transactions:
        return f"{said} that has ended meanwhile: run the check again"
    oldest = hidden.transactions[0]
    more = len(hidden.transactions) - 1
    others = f", and {counted(more, 'more open transaction')}" if more else ""
    hangs = "; it hangs" if is_hanging(oldest, hidden.seen_at) else ""
    return f"{said}: {_who(oldest, hidden.seen_at)}{hangs}{others}"


def _who(transaction: OpenTransaction, now: datetime) -> str:
    name = transaction.transactional_id
    known = "an unknown transactional id" if name is None else f"transactional id {escaped(name)}"
    said = [f"producer {transaction.producer_id} with {known}"]
    age = age_of(transaction, now)
    if age is None:
        said.append("open since an unknown time")
    elif transaction.started is None:
        said.append(f"open for at least {duration_text(age)} by the timestamp of its last record")
    else:
        said.append(f"open for {duration_text(age)}")
    if transaction.timeout is not None:
        said.append(f"timeout {duration_text(transaction.timeout)}")
    return ", ".join(said)
