"""Changes of a topic's settings: records that can be deleted, writers that stop, readers that cannot fetch."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from kafka_topology.topology.kafka.quantities import AS_RETENTION
from kafka_topology.topology.model.declared import Topic
from kafka_topology.topology.model.units import format_duration, format_size, kafka_true
from kafka_topology.topology.model.words import counted, named
from kafka_topology.validators.facts.changes import about
from kafka_topology.validators.facts.storage import partition_bytes

from ...changes import Effect, Verdict, breaking, care, destructive, safe, without_effect
from ...versions import Versions
from .counts import blocked_writers


@dataclass(frozen=True, slots=True)
class ConfigChange:
    """One effective value of a topic, before and after. `was` and `now` are None if it is not a number."""

    versions: Versions
    old: Topic
    new: Topic
    name: str
    before: str | None
    after: str | None
    was: int | None
    now: int | None

    @property
    def is_more(self) -> bool:
        """Whether a limit grew. Below 0 means no limit."""
        if self.was is None or self.now is None:
            return False
        return self.was >= 0 and (self.now < 0 or self.now > self.was)


Judge = Callable[[ConfigChange], Verdict]


def config(change: ConfigChange) -> Verdict:
    judge = _BY_SETTING.get(change.name)
    if judge is not None:
        return judge(change)
    if change.name.startswith(("segment.", "flush.", "index.", "file.", "preallocate", "compression.", "internal.")):
        return safe("brokers use it for new data; clients do not notice")
    return care("brokers apply it to the live topic at once")


def _retention(change: ConfigChange) -> Verdict:
    if "delete" not in change.versions.new.policy(change.new):
        return without_effect("the topic is only compacted, so Kafka deletes nothing by age or size")
    if change.is_more:
        return safe("records stay longer", *_disk(change))
    kept = change.now or 0
    unlikely = _unlikely(change, kept) if change.name == "retention.bytes" else None
    if unlikely is not None:
        return unlikely
    if change.name == "retention.ms":
        what = f"records of {change.new.name} older than {format_duration(kept)}"
    else:
        what = f"records beyond {format_size(kept)} in each partition of {change.new.name}"
    size, deletable = _how_much(change)
    text = f"{what} can be deleted within minutes{deletable}"
    total = "about {size} can be deleted within minutes" if size is not None else ""
    effects = [Effect("data", text, total, size), *_late_groups(change, kept)]
    return destructive("a longer retention later does not restore deleted records", *effects)


def _unlikely(change: ConfigChange, limit: int) -> Verdict | None:
    """The verdict on a limit of bytes that partitions do not reach by the declaration; None if they do, or may."""
    held = partition_bytes((change.old, change.versions.old.storage), (change.new, change.versions.new.storage))
    size = change.versions.held_now(change.old)
    if size is not None and size.is_live and size.count > limit:
        return None
    if limit >= held.most:
        return safe(f"no partition reaches it: all records at the declared peak are at most {about(held.most)}")
    if limit < held.usual:
        return None
    usual = about(held.usual)
    text = f"the declared load fills a partition with about {usual}; one that gets more loses its oldest records"
    return care("above the declared load, but not above every load", Effect("data", text))


def _how_much(change: ConfigChange) -> tuple[float | None, str]:
    """The bytes that can be deleted, also in words. None and no words if nobody knows."""
    before, after = change.versions.old.retained_bytes(change.old), change.versions.new.retained_bytes(change.new)
    size = change.versions.held_now(change.old)
    if before is None or after is None or before <= after or size is None:
        return None, ""
    held = size.count if size.is_live else before
    deleted = held * (1 - after / before)
    return deleted, f": about {about(deleted)} of {about(held)} ({size.source})"


def _late_groups(change: ConfigChange, kept: int) -> Iterator[Effect]:
    if change.name != "retention.ms":
        return
    for group in change.versions.new.index.groups_of(change.new.name):
        if group.max_outage is not None and not 0 <= group.max_outage <= kept:
            outage = format_duration(group.max_outage)
            text = f"group {group.name} may be down for {outage} and would miss records"
            total = "{who} may be down for longer and would miss records"
            yield Effect("stall", text, total, who=(group.name,))
    live = change.versions.live
    if live is not None:
        for name in live.readers_of(change.new.name):
            behind = live.groups[name].lag[change.new.name]
            if behind:
                yield Effect("live", f"group {name} is {counted(behind, 'record')} behind now")


def _disk(change: ConfigChange) -> Iterator[Effect]:
    before, after = change.versions.old.disk_bytes(change.old), change.versions.new.disk_bytes(change.new)
    if before is not None and after is not None and after > before:
        more = (after - before) * change.new.replication
        text = f"{change.new.name} will use {about(more)} more disk, over all its replicas"
        yield Effect("disk", text, "about {size} more disk, over all replicas", more)


def _cleanup(change: ConfigChange) -> Verdict:
    was, now = change.versions.old.policy(change.old), change.versions.new.policy(change.new)
    if "compact" in now - was:
        effect = Effect("data", f"all but the last record of each key of {change.new.name} can be deleted")
        return destructive("only the last record of each key stays, and Kafka refuses records without a key", effect)
    if "delete" in now - was:
        kept = change.versions.new.number(change.new, "retention.ms")
        age = f" for {format_duration(kept)}" if kept is not None and kept >= 0 else ""
        effect = Effect("data", f"keys of {change.new.name} that are not written again{age} can be deleted")
        return destructive("a table that readers rebuild from it loses keys over time", effect)
    if "compact" in was - now:
        return breaking("old values of a key stay, and a null value no longer deletes it")
    effect = Effect("disk", f"Kafka no longer deletes records of {change.new.name} by age or size")
    return care("its disk grows with the number of keys", effect)


def _min_isr(change: ConfigChange) -> Verdict:
    was, now, replicas = change.was or 1, change.now or 1, change.new.replication
    if now < was:
        effect = Effect("data", f"an acknowledged record of {change.new.name} may be on {now} of {replicas} replicas")
        return care("acks=all guarantees less than before, and producers do not notice", effect)
    blocked = blocked_writers(change.versions, change.new, now)
    if blocked:
        return breaking("writers need more in-sync replicas than remain when a broker is down", *blocked)
    return safe("acks=all waits for more replicas, and one may still be down")


def _max_message(change: ConfigChange) -> Verdict:
    was, now = change.was or 0, change.now or 0
    if now < was:
        writers = change.versions.new.writer_names(change.new.name)
        who = named(writers) if writers else "a producer"
        effect = Effect("stall", f"{who} can no longer write records above {format_size(now)} to {change.new.name}")
        return breaking("Kafka refuses larger records", effect)
    small = [
        Effect(
            "client",
            f"{reader.name} fetches at most {format_size(fetched)}: raise {name} to {format_size(now)}, or it gets"
            " larger batches one at a time",
        )
        for reader in change.versions.new.index.clients.readers_of(change.new.name)
        for name in ("max.partition.fetch.bytes", "fetch.max.bytes")
        if (fetched := reader.number(name)) is not None and fetched < now
    ]
    if small:
        return care("records may be larger than readers are set up for", *small)
    return safe("every declared reader can fetch records of this size")


_NO_BOUND = 2**63 - 1


def _timestamp_bound(change: ConfigChange) -> Verdict:
    if change.is_more or (change.was is not None and change.now is not None and change.now > change.was):
        return safe("Kafka accepts a wider range of timestamps")
    if change.after is None or (change.now is not None and not 0 <= change.now < _NO_BOUND):
        return safe("this setting bounds no timestamp")
    return breaking("Kafka refuses records with a timestamp outside the new bound")


def _only_if_compacted(judge: Judge) -> Judge:
    """Of a setting that only the log cleaner uses."""

    def judged(change: ConfigChange) -> Verdict:
        if "compact" in change.versions.new.policy(change.new):
            return judge(change)
        return without_effect("it has no effect, because the topic is not compacted")

    return judged


def _longer_is_safe(longer: str, shorter: str) -> Judge:
    """A limit that may grow, but needs care when it shrinks."""
    return lambda change: safe(longer) if change.is_more else care(shorter)


_tombstones = _only_if_compacted(
    _longer_is_safe(
        "tombstones stay longer", "a reader that is down for longer than this misses that a key was deleted"
    )
)


def _local(change: ConfigChange) -> Verdict:
    """How much of a tiered topic stays on the brokers' disks: -2, Kafka's default, means all that the topic keeps."""
    if not kafka_true(change.versions.new.text(change.new, "remote.storage.enable")):
        return without_effect("it has no effect, because the topic is not tiered")
    whole = change.name.removeprefix("local.")
    was = _limit(change.was, change.versions.old.number(change.old, whole))
    now = _limit(change.now, change.versions.new.number(change.new, whole))
    if now == was:
        return safe("the same records stay on the brokers' disks")
    if now > was:
        return safe("records stay longer on the brokers' disks", *_disk(change))
    return care("older records come from remote storage, which is slower")


def _limit(local: int | None, whole: int | None) -> float:
    number = whole if local == AS_RETENTION else local
    return math.inf if number is None or number < 0 else number


def _unclean(change: ConfigChange) -> Verdict:
    if kafka_true(change.after):
        effect = Effect(
            "data", f"acknowledged records of {change.new.name} are lost when a lagging replica becomes leader"
        )
        return care("availability at the cost of records", effect)
    return safe("Kafka no longer gives up acknowledged records for availability")


def _tiered(change: ConfigChange) -> Verdict:
    if kafka_true(change.after):
        return care("closed segments are copied to remote storage; turning it off later can lose them")
    if kafka_true(change.versions.new.text(change.new, "remote.log.delete.on.disable")):
        effect = Effect("data", f"records of {change.new.name} that are only in remote storage are deleted")
        return destructive("remote segments are deleted when tiering ends", effect)
    delete = "remote.log.delete.on.disable"
    if change.versions.new.settings.catalogue.topic.get(delete) is None:
        return breaking("Kafka refuses it: before 3.9, a tiered topic stays tiered until it is deleted")
    return breaking(
        f"Kafka refuses it without {delete}: true, which deletes the remote records; to keep them and copy no more,"
        " leave it on and set remote.log.copy.disable: true"
    )


@_only_if_compacted
def _compaction_lag(change: ConfigChange) -> Verdict:
    if change.name == "min.compaction.lag.ms" and not change.is_more:
        return care("readers have less time to see every value of a key")
    return safe("it changes when old values of a key are removed, not which")


def _timestamp_type(change: ConfigChange) -> Verdict:
    del change
    return care("retention and lookups by time use another clock for new records than for old ones")


_BY_SETTING: dict[str, Judge] = {
    "cleanup.policy": _cleanup,
    "delete.retention.ms": _tombstones,
    "local.retention.bytes": _local,
    "local.retention.ms": _local,
    "max.compaction.lag.ms": _compaction_lag,
    "max.message.bytes": _max_message,
    "message.timestamp.after.max.ms": _timestamp_bound,
    "message.timestamp.before.max.ms": _timestamp_bound,
    "message.timestamp.difference.max.ms": _timestamp_bound,
    "message.timestamp.type": _timestamp_type,
    "min.cleanable.dirty.ratio": _compaction_lag,
    "min.compaction.lag.ms": _compaction_lag,
    "min.insync.replicas": _min_isr,
    "remote.storage.enable": _tiered,
    "retention.bytes": _retention,
    "retention.ms": _retention,
    "unclean.leader.election.enable": _unclean,
}
