"""Changes of partitions and replication: keys and bytes that move, members that become idle."""

from __future__ import annotations

from collections.abc import Iterator

from kafka_topology.topology.model.declared import Topic
from kafka_topology.topology.model.words import agreeing, counted, named
from kafka_topology.validators.facts.partitioners import looks_at_key
from kafka_topology.validators.rules.changes.kt802_partitions_increased_under_keys import share_of_moved_keys

from ...changes import Effect, Verdict, breaking, care, destructive, safe
from ...versions import Versions

_UNPREDICTABLE = ("explicit", "custom", "range", "list")  # which keys move follows from no hash


def partitions(versions: Versions, old: Topic, new: Topic) -> Verdict:
    effects = tuple(_reader_effects(versions, old, new))
    if new.partitions < old.partitions:
        return destructive(
            "Kafka cannot remove partitions; only deleting the topic and its records could, so `pulumi up` refuses",
            *effects,
        )
    if new.ordering == "total":
        return breaking("its total order ends: Kafka keeps order only within a partition", *effects)
    if not _keys_matter(new) and not _keys_matter(old):
        return safe("no key and no order depends on the count; existing records stay where they are", *effects)
    moved = Effect("keys", _moved_keys(old, new))
    if new.key is not None and any(era.partitions == old.partitions for era in new.key.history):
        return care(
            "keys move, and `key.history` says so; readers that keep state per key must handle it", moved, *effects
        )
    return breaking("records of one key end up in two partitions, without order between them", moved, *effects)


def _keys_matter(topic: Topic) -> bool:
    keyed = topic.key is not None and topic.key.type != "none" and looks_at_key(topic.key.partitioner.name)
    return topic.ordering != "none" or keyed


def _moved_keys(old: Topic, new: Topic) -> str:
    partitioner = new.key.partitioner.name if new.key is not None else "murmur2"
    if partitioner in _UNPREDICTABLE:
        return f"its {partitioner} partitioner decides which keys move"
    share = share_of_moved_keys(old.partitions, new.partitions)
    return (
        f"{float(share):.0%} of the keys ({share}) of {new.name} move to another partition than their existing records"
    )


def _reader_effects(versions: Versions, old: Topic, new: Topic) -> Iterator[Effect]:
    for group in versions.new.index.groups_of(new.name):
        if group.members is not None and not group.assign:
            idle, was_idle = group.members - new.partitions, group.members - old.partitions
            if idle > 0 and idle > was_idle:
                members = counted(group.members, "member")
                has = counted(new.partitions, "partition")
                yield Effect("stall", f"{idle} of the {members} of group {group.name} are idle: {new.name} has {has}")
        unread = set(range(old.partitions, new.partitions)) - set(group.assign.get(new.name, ()))
        if group.assign and unread:
            listed = named(tuple(str(number) for number in sorted(unread)))
            noun = agreeing(len(unread), "partition", "partitions")
            yield Effect("stall", f"group {group.name} assigns its partitions itself and does not read {noun} {listed}")
    for other in sorted(versions.new.copartitioned.get(new.name, ())):
        theirs = versions.new.topology.topics.get(other)
        if theirs is not None and theirs.partitions != new.partitions:
            has = counted(theirs.partitions, "partition")
            yield Effect("stall", f"joins of {new.name} with {other}, which has {has}, miss records")


def replication(versions: Versions, old: Topic, new: Topic) -> Verdict:
    min_isr = versions.new.number(new, "min.insync.replicas") or 1
    if new.replication < old.replication:
        survives = (
            f"records survive {counted(new.replication - 1, 'lost broker')} instead of {old.replication - 1};"
            " no bytes move"
        )
        if min_isr > new.replication:
            left = f"{counted(new.replication, 'replica')} {agreeing(new.replication, 'remains', 'remain')}"
            asked = f"min.insync.replicas is {min_isr}, but only {left}"
            return breaking(asked, *blocked_writers(versions, new, min_isr))
        return care(survives, *blocked_writers(versions, new, min_isr))
    copies = new.replication - old.replication
    size = versions.size_now(old)
    if size is None:
        effect = Effect(
            "bytes",
            f"every record of {new.name} is copied {counted(copies, 'time')} (size unknown; declare"
            " `throughput` and `retention`, or review with --live)",
        )
    else:
        effect = Effect("bytes", f"about {size.times(copies)} of {new.name} to copy between brokers")
    return care("new replicas copy every record over the disks and network that also serve readers", effect)


def blocked_writers(versions: Versions, topic: Topic, min_isr: int) -> tuple[Effect, ...]:
    """Who can no longer write, at once or as soon as one broker is down."""
    acks_all = tuple(
        writer.name
        for writer in versions.new.index.clients.writers_of(topic.name)
        if writer.acks is not None and writer.acks.value in ("all", "-1")
    )
    who = named(acks_all) if acks_all else "every acks=all writer"
    if min_isr > topic.replication:
        state = f"at once: min.insync.replicas is {min_isr}, with {counted(topic.replication, 'replica')}"
    elif min_isr == topic.replication and topic.replication > 1:
        state = "as soon as one replica is down"
    else:
        return ()
    readers = versions.new.reader_names(topic.name)
    effects = [Effect("stall", f"{who} can no longer write {topic.name} {state}")]
    if readers:
        effects.append(Effect("stall", f"{named(readers)} then {agreeing(len(readers), 'waits', 'wait')} for records"))
    return tuple(effects)
