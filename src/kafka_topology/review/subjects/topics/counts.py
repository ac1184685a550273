"""Changes of partitions and replication: keys and bytes that move, members that become idle."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from kafka_topology.topology.kafka.application_topics import of_streams
from kafka_topology.topology.kafka.clients.libraries import given
from kafka_topology.topology.model.declared import ConsumerGroup, StreamsApplication, Topic
from kafka_topology.topology.model.words import agreeing, counted, named
from kafka_topology.validators.facts.partitioners import looks_at_key
from kafka_topology.validators.rules.changes.kt802_partitions_increased_under_keys import share_of_moved_keys

from ...changes import Effect, Risk, Verdict, breaking, care, destructive, safe
from ...versions import Versions

_UNPREDICTABLE = ("explicit", "custom", "range", "list")  # which keys move follows from no hash


def partitions(versions: Versions, old: Topic, new: Topic) -> Verdict:
    readers, joins = tuple(_reader_effects(versions, old, new)), tuple(_broken_joins(versions, new))
    verdict = _partitions(old, new, (*readers, *joins))
    if new.partitions < old.partitions:
        return verdict
    stopped, skipping = tuple(_stopped_streams(versions, old, new)), tuple(_skipping_readers(versions, old, new))
    effects = (*verdict.effects, *stopped, *skipping)
    if stopped and verdict.risk.rank < Risk.BREAKING.rank:
        return breaking(
            "Kafka Streams refuses changelog and repartition topics with another number of partitions", *effects
        )
    if joins and verdict.risk.rank < Risk.BREAKING.rank:
        return breaking("records that are joined end up in partitions with different numbers", *effects)
    if readers and verdict.risk is Risk.SAFE:
        return care("readers that assign their partitions themselves do not read the new ones", *effects)
    if skipping and verdict.risk is Risk.SAFE:
        return care("readers that start at the end skip the first records of the new partitions", *effects)
    return replace(verdict, effects=effects)


def _stopped_streams(versions: Versions, old: Topic, new: Topic) -> Iterator[Effect]:
    """Streams applications that read the topic already, or keep state in it: they stop at the next rebalance."""
    counts = counted(old.partitions, "partition")
    before = {application.application_id for application in versions.old.index.streams_reading(old.name)}
    for application in versions.new.index.streams_reading(new.name):
        if application.application_id not in before:
            continue  # it creates its internal topics for the new number
        own = _internal_topics(application)
        if own:
            verb = agreeing(len(own), "has", "have")
            what = f"stops: {named(own)} {verb} {counts}, and it expects {new.partitions}"
        else:
            what = (
                f"stops if it has changelog or repartition topics: they have {counts}, and it expects {new.partitions}"
            )
        yield Effect("stall", f"the Streams application {application.name} {what}; reset it to continue")
    for who in _applications_of(versions, new.name):
        text = f"{who} stops: it expects {counts} in its internal topic {new.name}"
        yield Effect("stall", f"{text}; reset it to continue")


def _internal_topics(application: StreamsApplication) -> tuple[str, ...]:
    return application.internal_topics.topics if application.internal_topics is not None else ()


def _applications_of(versions: Versions, topic: str) -> tuple[str, ...]:
    """The application that created the topic for itself."""
    streams = versions.new.topology.streams
    listed = tuple(name for name, application in streams.items() if topic in _internal_topics(application))
    return tuple(f"the Streams application {name}" for name in listed) or tuple(of_streams([topic], streams).values())


def _skipping_readers(versions: Versions, old: Topic, topic: Topic) -> Iterator[Effect]:
    before = {group.name for group in versions.old.index.groups_of(old.name)}
    for group in versions.new.index.groups_of(topic.name):
        if group.name in before and not group.assign and _starts_at_the_end(versions, group):
            yield Effect(
                "data",
                f"group {group.name} starts at latest: it skips records of the new partitions of {topic.name} until it"
                " notices them, within metadata.max.age.ms (5 minutes by default)",
            )


def _starts_at_the_end(versions: Versions, group: ConsumerGroup) -> bool:
    reset = given(group).get("auto.offset.reset")
    if reset is None and group.start is not None:
        return group.start == "latest"
    setting = versions.new.settings.consumer(group, "auto.offset.reset")
    return (reset or (setting.value if setting is not None else "")) == "latest"


def _partitions(old: Topic, new: Topic, effects: tuple[Effect, ...]) -> Verdict:
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


def _broken_joins(versions: Versions, new: Topic) -> Iterator[Effect]:
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
            survives += f"; min.insync.replicas is {min_isr}, but {left}, and Kafka counts with {new.replication}"
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
        text = f"about {size.times(copies)} of {new.name} to copy between brokers"
        effect = Effect("bytes", text, "about {size} to copy between brokers", size.count * copies)
    return care("new replicas copy every record over the disks and network that also serve readers", effect)


def blocked_writers(versions: Versions, topic: Topic, min_isr: int) -> tuple[Effect, ...]:
    """Who can no longer write as soon as one broker is down. Kafka asks for no more replicas than there are."""
    acks_all = tuple(
        writer.name
        for writer in versions.new.index.clients.writers_of(topic.name)
        if writer.acks is not None and writer.acks.value in ("all", "-1")
    )
    who = named(acks_all) if acks_all else "every acks=all writer"
    if min_isr < topic.replication or topic.replication == 1:
        return ()
    readers = versions.new.reader_names(topic.name)
    text = f"{who} can no longer write {topic.name} as soon as one replica is down"
    total = "{who} can no longer write as soon as one replica is down"
    effects = [Effect("stall", text, total, who=acks_all or ("every acks=all writer",))]
    if readers:
        waits = f"{named(readers)} then {agreeing(len(readers), 'waits', 'wait')} for records"
        effects.append(Effect("stall", waits, "readers that then wait for records: {who}", who=readers))
    return tuple(effects)
