"""Checks where groups are in the logs that they read: how far behind, and whether records passed them by."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Final

from kafka_topology.topology.model.units import format_span, span_text
from kafka_topology.topology.model.words import agreeing, counted, listed

from ...cluster.outcomes import Failure
from ...topology.model.findings import Severity
from ..check import About, Check, found
from ..observing.group_log import GROUPS, LOGS, GroupLog
from ..observing.group_waits import HELD_BACK, WAITS
from ..observing.waits import Waits
from ..subject import Subject, without_options

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from ...cluster.live.groups import LiveGroup, Partition
    from ...cluster.live.transactions import OpenTransaction
    from ...cluster.outcomes import Outcome
    from ...topology.model.declared import ConsumerGroup, StreamsApplication, Topology
    from ...topology.model.findings import Finding
    from ..observing.group_waits import HeldBack
    from ..observing.snapshot import Snapshot

OFFSETS_MISSING: Final = Check(
    "KTA303", "offsets-missing", Severity.WARNING,
    "A group has no committed offset on partitions that hold records.",
    "What its members have read there is unknown, and after a restart it starts where `auto.offset.reset` says. The "
    "usual reasons are partitions that were added later, and consumers that never commit.",
    "Check that the consumers commit. If the group is stopped, commit the offsets it should start from.",
    ("R20", "R22"),
    transient=True,
)  # fmt: skip
LAG_ABOVE_MAX: Final = Check(
    "KTA304", "lag-above-maximum", Severity.ERROR,
    "A group is further behind than its `maxLag`.",
    "`maxLag` is the lag that the application can tolerate, and the group exceeds it: a number of records over all "
    "partitions, or the age of the oldest record that it has not read, by the record's timestamp. Records wait from "
    "the committed offset on. Where a group without members has none, they wait from its declared start on; so this "
    "is reported of a group that does not exist, too. For a group that reads committed records, the first open "
    "transaction is the end of the log, and a long lag is `up to` so many records: aborted ones and the markers of "
    "transactions have offsets, too, but the group never gets them.",
    "Check its consumers, add members (at most one per partition), or raise `maxLag`.",
    ("R22",),
    transient=True,
)  # fmt: skip
HELD_BY_TRANSACTION: Final = Check(
    "KTA320", "held-back-by-transaction", Severity.ERROR,
    "An open transaction keeps more from a group than its `maxLag`.",
    "A group that reads committed records gets nothing that was written after the first open transaction of a "
    "partition, whoever wrote it. Its consumers are idle and show no lag: the stable offset is the end of the log to "
    "them. A producer that crashed holds it until `transaction.timeout.ms`; a hanging transaction holds it for ever.",
    "Find the producer. `kafka-transactions.sh find-hanging` and `abort` end a transaction that hangs.",
    ("R22",),
    transient=True,
)  # fmt: skip
OFFSETS_DELETED: Final = Check(
    "KTA309", "records-deleted-before-read", Severity.ERROR,
    "The committed offset of a group is before the first record that the log still holds.",
    "Kafka deleted records that the group had not read. The group goes on where `auto.offset.reset` says: with "
    "`latest` it skips everything that the log holds now.",
    "Find out why the group fell behind, and raise the topic's retention before you start its consumers.",
    ("R20", "R22"),
)  # fmt: skip
OFFSETS_BEYOND_END: Final = Check(
    "KTA310", "offsets-beyond-the-end", Severity.ERROR,
    "The committed offset of a group is beyond the end of the log.",
    "The topic was deleted and created again, or an unclean election cut the log. The group goes on where "
    "`auto.offset.reset` says, so it skips or repeats records.",
    "Find out what happened to the topic. Then commit the offsets that the group should go on from.",
    ("R20", "R21"),
)  # fmt: skip


_NO_WAITS: Final = Waits(datetime.fromtimestamp(0, UTC))


def position_findings(topology: Topology, live: Snapshot) -> Iterator[Finding]:
    logs = live.of(LOGS)
    for reader, about in _readers(topology):
        seen = live.of(GROUPS).get(reader.name)
        if seen is None or isinstance(seen, Failure):
            continue
        log = logs.get(reader.name, GroupLog())
        yield from _lag(reader, about, log, live.of(WAITS).get(reader.name, _NO_WAITS))
        if not seen.exists:
            continue
        yield from _held_back(reader, about, live.of(HELD_BACK).get(reader.name))
        yield from _silent(about, seen, log)
        yield from _deleted(about, seen, log)
        yield from _beyond(about, seen)


def _readers(topology: Topology) -> Iterator[tuple[ConsumerGroup | StreamsApplication, About]]:
    for group in topology.consumer_groups.values():
        yield group, About("group", group.name, group.location)
    for application in topology.streams.values():
        yield application, About("streams", application.name, application.location)


def _lag(group: ConsumerGroup | StreamsApplication, about: About, log: GroupLog, waits: Waits) -> Iterator[Finding]:
    limit, lag, ages = group.max_lag, log.lag, waits.ages()
    if limit is None or lag is None:
        return
    behind = {partition: count for partition, count in log.lags.items() if count}
    if isinstance(limit, timedelta):
        if not ages or max(ages.values()) <= limit:
            return
        first, age = max(ages.items(), key=lambda item: (item[1], item[0]))
        late = sum(1 for each in ages.values() if each > limit)
        verb = agreeing(late - 1, "waits", "wait")
        up_to = "up to " if first in log.uncounted else ""
        others = f", and {counted(late - 1, 'other partition')} {verb} too long" if late > 1 else ""
        message = (
            f"{group.name} has not read a record of {_name(first)} that is {span_text(age)} old, "
            f"{up_to}{counted(behind.get(first, 0), 'record')} behind{others}; expected at most {format_span(limit)}"
        )
        expected: object = format_span(limit)
        actual: object = span_text(age)
    elif lag <= limit:
        return
    else:
        first, most = max(log.lags.items(), key=lambda item: (item[1], item[0]))
        most_of_it = f", {most:,} of them on {_name(first)}" if len(log.lags) > 1 else ""
        oldest = f", the oldest {span_text(max(ages.values()))} old" if ages else ""
        up_to = "up to " if log.uncounted else ""
        message = (
            f"{group.name} is {up_to}{counted(lag, 'record')} behind{most_of_it}{oldest}; expected at most {limit:,}"
        )
        expected, actual = limit, lag
    yield found(
        LAG_ABOVE_MAX,
        about,
        group.place("maxLag"),
        message,
        "check its consumers, or raise `maxLag`",
        expected=expected,
        actual=actual,
        partitions={_name(partition): count for partition, count in sorted(behind.items())},
        seconds=_seconds(ages),
    )


def _held_back(group: ConsumerGroup | StreamsApplication, about: About, held: HeldBack | None) -> Iterator[Finding]:
    """What is behind an open transaction is no lag that the consumers could work off."""
    limit = group.max_lag
    if held is None or limit is None:
        return
    ages, count = held.waits.ages(), sum(held.offsets.values())
    is_late = max(ages.values(), default=timedelta()) > limit if isinstance(limit, timedelta) else count > limit
    if not is_late:
        return
    # Of the longest wait, if times are known.
    first = max(held.offsets, key=lambda partition: (ages.get(partition, timedelta()), partition))
    since = f" for {span_text(ages[first])}" if first in ages else ""
    wanted = format_span(limit) if isinstance(limit, timedelta) else f"{limit:,}"
    yield found(
        HELD_BY_TRANSACTION,
        about,
        group.place("maxLag"),
        f"{group.name} reads committed records, and an open transaction{_of(held.transactions.get(first))} holds back "
        f"{counted(count, 'offset')} from it{since}, first on {_name(first)}; expected at most {wanted}",
        "find out why its producer does not end the transaction; kafka-transactions.sh can abort it",
        expected=wanted,
        actual=span_text(ages[first]) if isinstance(limit, timedelta) else count,
        partitions={_name(partition): offsets for partition, offsets in sorted(held.offsets.items())},
        seconds=_seconds(ages),
    )


def _of(transactions: Outcome[tuple[OpenTransaction, ...]] | None) -> str:
    """Whose transaction it is, if that is known."""
    if transactions is None or isinstance(transactions, Failure) or not transactions:
        return ""
    oldest = transactions[0]
    name = f" ({oldest.transactional_id})" if oldest.transactional_id is not None else ""
    return f" of producer {oldest.producer_id}{name}"


def _silent(about: About, live: LiveGroup, log: GroupLog) -> Iterator[Finding]:
    """A partition that holds no records needs no offset."""
    without = live.partitions - live.offsets.keys()
    silent = sorted(p for p in without if p in live.ends and p in log.starts and live.ends[p] > log.starts[p])
    # Members that have no partition of a topic commit nothing there: their subscription is without it.
    read = live.shape.topics if live.shape.members else None
    unread = {topic for topic, _ in silent} - read if read is not None else set()
    for topic in sorted(unread):
        yield _without_offsets(
            about,
            live,
            [partition for partition in silent if partition[0] == topic],
            f"no member of {about.name} has a partition of {topic}, which holds records, and the group has committed "
            "no offset there; expected a subscription to it",
            f"subscribe its consumers to {topic}, or declare that the group does not read it",
        )
    if rest := [partition for partition in silent if partition[0] not in unread]:
        yield _without_offsets(
            about,
            live,
            rest,
            f"{about.name} has committed no offset on {len(rest):,} of {counted(len(live.partitions), 'partition')} "
            f"that it reads, and they hold records: {_listed(rest)}",
            "check that its consumers commit, or commit the offsets it should start from",
        )


def _without_offsets(about: About, live: LiveGroup, silent: list[Partition], message: str, fix: str) -> Finding:
    expected = len(live.partitions)
    return found(OFFSETS_MISSING, about, about.declared, message, fix, expected=expected, actual=expected - len(silent))


def _deleted(about: About, live: LiveGroup, log: GroupLog) -> Iterator[Finding]:
    lost = {
        partition: log.starts[partition] - committed.offset
        for partition, committed in live.offsets.items()
        if partition in log.starts and committed.offset < log.starts[partition]
    }
    if lost:
        total = sum(lost.values())
        yield found(
            OFFSETS_DELETED,
            about,
            about.declared,
            f"Kafka deleted up to {counted(total, 'record')} of {_listed(sorted(lost))} before {about.name} read "
            f"{agreeing(total, 'it', 'them')}; expected committed offsets that the log still holds",
            "find out why it fell behind, and raise the retention before you start its consumers",
            expected=0,
            actual=total,
            partitions={f"{topic} {number}": count for (topic, number), count in sorted(lost.items())},
        )


def _beyond(about: About, live: LiveGroup) -> Iterator[Finding]:
    beyond = {
        partition: committed.offset
        for partition, committed in live.offsets.items()
        if partition in live.ends and committed.offset > live.ends[partition]
    }
    if beyond:
        (topic, number), offset = min(beyond.items())
        yield found(
            OFFSETS_BEYOND_END,
            about,
            about.declared,
            f"{about.name} has committed offsets beyond the end of {_listed(sorted(beyond))}: {offset:,} on {topic} "
            f"{number}, which ends at {live.ends[topic, number]:,}; expected an offset in the log",
            "find out whether the topic was created again, then commit the offsets that the group should go on from",
            expected=live.ends[topic, number],
            actual=offset,
        )


def _listed(partitions: Iterable[Partition]) -> str:
    return listed([_name(partition) for partition in partitions])


def _seconds(ages: Mapping[Partition, timedelta]) -> dict[str, float]:
    return {_name(partition): round(age.total_seconds(), 3) for partition, age in sorted(ages.items())}


def _name(partition: Partition) -> str:
    topic, number = partition
    return f"{topic} {number}"


SUBJECT: Final = Subject(
    order=35,
    words=("group", "streams"),
    compares={
        "offsets": "further behind than `maxLag`, in records or in time; held back by an open transaction; none "
        "committed on partitions that hold records; records deleted before they were read; offsets beyond the end of "
        "the log"
    },
    reads=(GROUPS, LOGS, WAITS, HELD_BACK),
    checks=(OFFSETS_MISSING, LAG_ABOVE_MAX, HELD_BY_TRANSACTION, OFFSETS_DELETED, OFFSETS_BEYOND_END),
    compare=without_options(position_findings),
)
