"""Finds transactions that nobody ends: readers of committed records wait behind them."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Final, TypeAlias

from kafka_topology.topology.model.words import counted, duration_text, escaped, listed

from ....cluster.live.transactions import LONGEST_UNKNOWN, age_of, is_hanging
from ....cluster.outcomes import Failure
from ....provider.resources.topic.inputs import is_owned
from ....topology.model.findings import Severity
from ...check import About, Check, found
from ...observing.live_cluster import BROKER_CONFIGS
from ...observing.live_kafka_topics import OWN_TOPICS
from ...observing.live_topics import TOPIC_NAMES, TOPICS
from ...observing.snapshot import Observation, alike
from ...subject import Subject, duration_option
from ..topics import about as about_topic

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from ....cluster.attempts import Patience
    from ....cluster.live.groups import Partition
    from ....cluster.live.transactions import OpenTransaction
    from ....cluster.outcomes import Outcome
    from ....topology.model.declared import Topology
    from ....topology.model.findings import Finding
    from ...observing.snapshot import Snapshot, Survey
    from ...subject import Options

HANGING: Final = Check(
    "KTA541", "hanging-transaction", Severity.ERROR,
    "A transaction is open for longer than its timeout, or than brokers allow: nobody will end it. One that is open "
    "for longer than `age`, but within its timeout, is a warning.",
    "Consumers with `isolation.level=read_committed` get nothing behind the first open transaction of a partition, "
    "and compaction stops there. Their lag grows, although they and the brokers are healthy. The coordinator has lost "
    "the transaction, or the producer writes into it without ending it.",
    "Abort it: `kafka-transactions.sh --bootstrap-server … abort --topic TOPIC --partition NUMBER --start-offset "
    "OFFSET`. For a transaction that is within its timeout, look at its producer.",
    ("R18",),
    (("age", "15m", "how long a transaction may be open", "duration"),),
)  # fmt: skip
_LONGEST: Final = "transaction.max.timeout.ms"
_OFFSETS: Final = "__consumer_offsets"
_MOST_UNDECLARED: Final = 1_000  # partitions of undeclared topics
_Open: TypeAlias = "Outcome[tuple[OpenTransaction, ...]]"
_BRIEF: Final = 5.0  # seconds: a partition that lost its leader meanwhile must not use up the time for other reads


@dataclass(frozen=True, slots=True)
class OpenTransactions:
    """The open transactions of each partition where there are any. A failure says why they are unknown.

    `left_out` are undeclared topics that were not looked at, because there are too many.
    """

    seen_at: datetime
    by_partition: Mapping[Partition, Outcome[tuple[OpenTransaction, ...]]] = field(default_factory=dict)
    left_out: tuple[str, ...] = ()


def _take(survey: Survey) -> OpenTransactions:
    """Declared topics first: the others get the time that is left."""
    brief = survey.patient.at_most(_BRIEF)
    found = _open(survey, brief, _declared(survey))
    names = survey.read(TOPIC_NAMES)
    owned = survey.topology.ownership.topics or ()
    if names is None or isinstance(names, Failure):
        return OpenTransactions(datetime.now(UTC), found)
    others = sorted(name for name in names - survey.topology.topics.keys() if is_owned(name, owned))
    partitions: list[Partition] = []
    left_out = []
    for name, layout in sorted(brief.each(others, survey.cluster.replicas.layouts).items() if others else ()):
        if isinstance(layout, Failure):
            found[name, 0] = layout
        elif len(partitions) + len(layout) > _MOST_UNDECLARED:
            left_out.append(name)
        else:
            partitions += [(name, number) for number in layout]
    found |= _open(survey, brief, partitions)
    return OpenTransactions(datetime.now(UTC), found, tuple(left_out))


def _declared(survey: Survey) -> list[Partition]:
    own, declared = survey.read(OWN_TOPICS), survey.read(TOPICS)
    return [
        (name, number)
        for name, topic in (*own.items(), *declared.items())
        if not isinstance(topic, Failure) and (name == _OFFSETS or name in declared)
        for number, placed in enumerate(topic.placement)
        if placed.leader is not None
    ]


def _open(survey: Survey, brief: Patience, partitions: list[Partition]) -> dict[Partition, _Open]:
    """Compares the stable end of each log with its end, and asks only about partitions where they differ."""
    if not partitions:
        return {}
    stable = brief.each(partitions, lambda asked: survey.cluster.committed_offsets_at("latest", asked))
    ends = brief.each(partitions, survey.cluster.ends_of)
    found: dict[Partition, _Open] = {}
    held = []
    for partition in partitions:
        end, last = ends[partition], stable[partition]
        if isinstance(end, Failure) or isinstance(last, Failure):
            found[partition] = end if isinstance(end, Failure) else last if isinstance(last, Failure) else ()
        elif last < end:
            held.append(partition)
    return found | brief.each(held, survey.cluster.open_transactions) if held else found


def _unread(topology: Topology, seen: OpenTransactions) -> Iterator[str]:
    del topology
    yield from alike("partitions", seen.by_partition, "the open transactions of")
    if seen.left_out:
        yield (
            f"reading the open transactions of {counted(len(seen.left_out), 'undeclared topic')} inside the ownership "
            f"({listed(seen.left_out, 3)}): at most {_MOST_UNDECLARED:,} partitions of such topics are looked at"
        )


TRANSACTIONS: Final = Observation("transactions", _take, _unread)


def transaction_findings(topology: Topology, live: Snapshot, options: Options) -> Iterator[Finding]:
    seen = live.of(TRANSACTIONS)
    longest = _longest(live)
    allowed = duration_option(options, HANGING, "age")
    for (name, number), held in sorted(seen.by_partition.items()):
        for each in () if isinstance(held, Failure) else held:
            age = age_of(each, seen.seen_at)
            hangs = is_hanging(each, seen.seen_at, longest)
            if age is None or not (hangs or age > allowed):
                continue
            about = _about(topology, name)
            # It ends within its timeout, or it never does: the expected age follows from that.
            expected = (each.timeout or longest) if hangs else allowed
            verb = "hangs" if hangs else "is open"
            yield found(
                HANGING,
                about,
                about.declared,
                f"{name}: a transaction {verb} at partition {number}, offset {each.first_offset}, {_who(each)}, open "
                f"for {duration_text(age)}; expected at most {duration_text(expected)}. Readers of committed records "
                "wait behind it",
                _fix(name, number, each) if hangs else "check its producer, which should end it",
                severity=None if hangs else Severity.WARNING,
                expected=round(expected.total_seconds()),
                actual=round(age.total_seconds()),
                partition=number,
                offset=each.first_offset,
                producerId=each.producer_id,
                producerEpoch=each.epoch,
                transactionalId=each.transactional_id,
            )


def _about(topology: Topology, name: str) -> About:
    if name in topology.topics:
        return about_topic(topology.topics[name])
    return About("topic", name, topology.cluster.location if name == _OFFSETS else topology.ownership.location)


def _fix(topic: str, partition: int, transaction: OpenTransaction) -> str:
    return (
        "abort it: kafka-transactions.sh --bootstrap-server … abort "
        f"--topic {topic} --partition {partition} --start-offset {transaction.first_offset}"
    )


def _longest(live: Snapshot) -> timedelta:
    """The longest timeout that any broker allows."""
    known = [config.get(_LONGEST, "") for config in live.of(BROKER_CONFIGS).values() if not isinstance(config, Failure)]
    numbers = [int(text) for text in known if text.isdigit()]
    return timedelta(milliseconds=max(numbers)) if numbers else LONGEST_UNKNOWN


def _who(transaction: OpenTransaction) -> str:
    name = transaction.transactional_id
    epoch = "" if transaction.epoch is None else f" (epoch {transaction.epoch})"
    known = "an unknown transactional id" if name is None else f"transactional id {escaped(name)}"
    return f"of producer {transaction.producer_id}{epoch} with {known}"


SUBJECT: Final = Subject(
    order=74,
    words=("topic",),
    compares={
        "transactions": "open on declared topics, on others inside the ownership or in `__consumer_offsets` for longer "
        "than any broker allows"
    },
    reads=(TRANSACTIONS, BROKER_CONFIGS),
    checks=(HANGING,),
    compare=transaction_findings,
    is_health=True,
)
