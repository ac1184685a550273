"""Settings of a topic: data that becomes deletable, writers that stop, readers that cannot fetch."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from ..topology.model import Topic
from ..topology.units import format_duration, format_size
from ..validators.changes import about
from .changes import Effect, Verdict, breaking, care, destructive, safe
from .topic_counts import blocked_writers
from .versions import BY_DECLARATION, Versions, counted, named


@dataclass(frozen=True, slots=True)
class ConfigChange:
    """One effective value of a topic, before and after. The numbers are None where it is no number."""

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
        """Whether a limit grew; below 0 there is none."""
        if self.was is None or self.now is None:
            return False
        return self.was >= 0 and (self.now < 0 or self.now > self.was)


Judge = Callable[[ConfigChange], Verdict]


def config(change: ConfigChange) -> Verdict:
    if change.before == change.after:
        return safe("the value in force stays the same")
    judge = _JUDGES.get(change.name)
    if judge is not None:
        return judge(change)
    if change.name.startswith(("segment.", "flush.", "index.", "file.", "preallocate", "compression.", "internal.")):
        return safe("brokers use it for what they write from now on; clients do not notice")
    return care("brokers apply it to the live topic at once")


def _retention(change: ConfigChange) -> Verdict:
    if "delete" not in change.versions.new.policy(change.new):
        return safe("the topic is compacted only, so nothing is deleted by age or size")
    if change.is_more:
        return safe("records stay longer", *_disk(change))
    kept = change.now or 0
    if change.name == "retention.ms":
        what = f"records of {change.new.name} that are older than {format_duration(kept)}"
    else:
        what = f"what is above {format_size(kept)} in each partition of {change.new.name}"
    effects = [Effect("data", f"{what} can be deleted within minutes{_how_much(change)}"), *_late_groups(change, kept)]
    return destructive("what is deleted cannot be brought back by a longer retention", *effects)


def _how_much(change: ConfigChange) -> str:
    before, after = change.versions.old.kept_bytes(change.old), change.versions.new.kept_bytes(change.new)
    live = change.versions.size_now(change.old)
    if before is None or after is None or before <= after:
        return ""
    share = 1 - after / before
    if live is not None and live.source != BY_DECLARATION:
        return f": about {about(live.count * share)} of {about(live.count)} ({live.source})"
    return f": about {about(before - after)} of {about(before)} ({BY_DECLARATION})"


def _late_groups(change: ConfigChange, kept: int) -> Iterator[Effect]:
    if change.name != "retention.ms":
        return
    for group in change.versions.new.index.groups_of(change.new.name):
        if group.max_outage is not None and not 0 <= group.max_outage <= kept:
            outage = format_duration(group.max_outage)
            yield Effect("stall", f"group {group.name} may be down for {outage} and would miss records")
    live = change.versions.live
    if live is not None:
        for name in live.readers_of(change.new.name):
            behind = live.groups[name].lag[change.new.name]
            if behind:
                yield Effect("live", f"group {name} is {counted(behind, 'record')} behind now")


def _disk(change: ConfigChange) -> Iterator[Effect]:
    before, after = change.versions.old.kept_bytes(change.old), change.versions.new.kept_bytes(change.new)
    if before is not None and after is not None and after > before:
        more = about((after - before) * change.new.replication)
        yield Effect("disk", f"{change.new.name} comes to take {more} more disk, over all its replicas")


def _cleanup(change: ConfigChange) -> Verdict:
    was, now = change.versions.old.policy(change.old), change.versions.new.policy(change.new)
    if "compact" in now - was:
        effect = Effect("data", f"all but the last record of each key of {change.new.name} can be deleted")
        return destructive("only the last record of each key stays, and records without a key are refused", effect)
    if "delete" in now - was:
        kept = change.versions.new.number(change.new, "retention.ms")
        age = f" for {format_duration(kept)}" if kept is not None and kept >= 0 else ""
        effect = Effect("data", f"keys of {change.new.name} that are not written again{age} can be deleted")
        return destructive("a table that readers rebuild from it loses keys with time", effect)
    if "compact" in was - now:
        return breaking("old values of a key come to stay, and a null value no longer deletes")
    effect = Effect("disk", f"nothing of {change.new.name} is deleted by age or size any more")
    return care("its disk grows with the number of keys", effect)


def _min_isr(change: ConfigChange) -> Verdict:
    was, now, replicas = change.was or 1, change.now or 1, change.new.replication
    if now < was:
        effect = Effect("data", f"an acknowledged record of {change.new.name} may be on {now} of {replicas} replicas")
        return care("acks=all promises less than before, to producers that do not know", effect)
    blocked = blocked_writers(change.versions, change.new, now)
    if blocked:
        return breaking("writers need more replicas in sync than are left when a broker is away", *blocked)
    return safe("acks=all waits for more replicas, and one may still be away")


def _max_message(change: ConfigChange) -> Verdict:
    was, now = change.was or 0, change.now or 0
    if now < was:
        writers = change.versions.new.writer_names(change.new.name)
        who = named(writers) if writers else "a producer"
        effect = Effect("stall", f"{who} can no longer write records above {format_size(now)} to {change.new.name}")
        return breaking("larger records are refused from now on", effect)
    small = [
        Effect(
            "stall",
            f"{reader.name} fetches {format_size(fetched)} at most: raise {name} to {format_size(now)} before the"
            " first larger record",
        )
        for reader in change.versions.new.index.clients.readers_of(change.new.name)
        for name in ("max.partition.fetch.bytes", "fetch.max.bytes")
        if (fetched := reader.number(name)) is not None and fetched < now
    ]
    if small:
        return care("records may come that readers are not set up for", *small)
    return safe("every declared reader can fetch records of this size")


def _timestamp_bound(change: ConfigChange) -> Verdict:
    if change.is_more or (change.was is not None and change.now is not None and change.now > change.was):
        return safe("records with stranger timestamps are taken")
    return breaking("records whose timestamp is outside the new bound are refused")


def _tombstones(change: ConfigChange) -> Verdict:
    if change.is_more:
        return safe("tombstones stay longer")
    return care("a reader that is away longer than this never sees that a key was deleted")


def _unclean(change: ConfigChange) -> Verdict:
    if change.after == "true":
        effect = Effect("data", f"acknowledged records of {change.new.name} are lost when a replica that lags leads")
        return care("it stays available at the price of records", effect)
    return safe("acknowledged records are no longer given up for availability")


def _tiered(change: ConfigChange) -> Verdict:
    if change.after == "true":
        return care("closed segments are copied to remote storage; turning it off again can cost them")
    if change.versions.new.text(change.new, "remote.log.delete.on.disable") == "true":
        effect = Effect("data", f"what {change.new.name} holds in remote storage only is deleted")
        return destructive("remote segments are deleted when tiering ends", effect)
    return breaking("readers of old records depend on remote storage, which gets nothing new")


def _local(change: ConfigChange) -> Verdict:
    if change.is_more:
        return safe("records stay on the brokers' disks longer")
    return care("readers of older records get them from remote storage, which is slower")


def _compaction_lag(change: ConfigChange) -> Verdict:
    if change.name == "min.compaction.lag.ms" and not change.is_more:
        return care("readers have less time to see every value of a key")
    return safe("it changes when old values of a key go, not which")


def _timestamp_type(change: ConfigChange) -> Verdict:
    del change
    return care("retention by time and lookups by time judge new records by another clock than the old ones")


_JUDGES: dict[str, Judge] = {
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
