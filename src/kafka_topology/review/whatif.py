"""The effects of losing a broker or a rack, by the declaration or by the live placement of replicas."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Literal

from ..topology.model.declared import Broker, Topic, Topology
from ..topology.model.words import listed
from .live import Live
from .versions import Version, Versions

State = Literal["offline", "no writes", "fewer copies"]


class CannotTell(Exception):
    """The question does not fit the cluster; the message says why."""


@dataclass(frozen=True, slots=True)
class Loss:
    """The brokers that are lost."""

    title: str
    lost: tuple[int, ...]
    brokers: Mapping[int, str | None]  # all of them, each with its rack

    @property
    def left(self) -> tuple[int, ...]:
        return tuple(broker for broker in self.brokers if broker not in self.lost)


@dataclass(frozen=True, slots=True)
class TopicLoss:
    """The worst state of a topic's partitions after the loss, and how many have it at most."""

    topic: str
    owner: str | None
    state: State
    partitions: int
    of: int
    copies_left: int
    min_isr: int
    writers: tuple[str, ...]
    readers: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class BrokerLoad:
    """What one broker carries on average."""

    replicas: float
    disk: float | None  # bytes


@dataclass(frozen=True, slots=True)
class WhatIf:
    loss: Loss
    source: Literal["declaration", "live placement"]
    topics: tuple[TopicLoss, ...]
    before: BrokerLoad
    after: BrokerLoad  # after re-replication to the remaining brokers
    disk: int | None  # declared for each broker
    limit: int | None  # partitions of a broker, as declared
    notes: tuple[str, ...]

    @property
    def lose_writes(self) -> tuple[TopicLoss, ...]:
        return tuple(topic for topic in self.topics if topic.state != "fewer copies")

    @property
    def stalled_groups(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(reader for topic in self.lose_writes for reader in topic.readers))


def lose_broker(topology: Topology, broker: int, live: Live | None = None) -> WhatIf:
    brokers = _brokers(topology, live)
    if broker not in brokers:
        raise CannotTell(f"there is no broker {broker}; choose from {', '.join(map(str, sorted(brokers)))}")
    return _what_if(topology, Loss(f"broker {broker}", (broker,), brokers), live)


def lose_rack(topology: Topology, rack: str, live: Live | None = None) -> WhatIf:
    brokers = _brokers(topology, live)
    lost = tuple(broker for broker, where in brokers.items() if where == rack)
    if not lost:
        racks = sorted({where for where in brokers.values() if where is not None})
        known = f"choose from {', '.join(racks)}" if racks else "no broker has a rack"
        raise CannotTell(f"there is no rack {rack}; {known}")
    return _what_if(topology, Loss(f"rack {rack}", lost, brokers), live)


def any_broker(topology: Topology, live: Live | None = None) -> WhatIf | None:
    """The loss of any one broker, or of the worst one if live facts are known; None if no brokers are declared."""
    try:
        brokers = _brokers(topology, live)
    except CannotTell:
        return None
    if live is None:
        return _what_if(topology, Loss("any one broker", (min(brokers),), brokers), live)
    each = [_what_if(topology, Loss(f"broker {broker}", (broker,), brokers), live) for broker in sorted(brokers)]
    return max(each, key=lambda found: len(found.lose_writes))


def _brokers(topology: Topology, live: Live | None) -> dict[int, str | None]:
    if live is not None and live.brokers:
        return dict(live.brokers)
    declared = topology.cluster.brokers
    if not declared:
        raise CannotTell("the topology declares no brokers; add cluster.brokers, or ask a live cluster")
    return {broker.id: _rack(topology, broker, place) for place, broker in enumerate(declared)}


def _rack(topology: Topology, broker: Broker, place: int) -> str | None:
    """The rack of a broker. If only a number of brokers and racks are declared, they alternate."""
    racks = topology.cluster.racks
    return broker.rack if broker.rack is not None or not racks else racks[place % len(racks)]


def _what_if(topology: Topology, loss: Loss, live: Live | None) -> WhatIf:
    version = Version(topology)
    notes: list[str] = []
    topics = [found for topic in topology.topics.values() for found in _topic(version, topic, loss, live)]
    notes += _internal_topics(version)
    placed = live is not None and any(name in live.topics for name in topology.topics)
    if live is not None:
        absent = [name for name in topology.topics if name not in live.topics]
        if absent and placed:
            notes.append(f"by the declaration, because they are not on the cluster: {listed(absent)}")
    order = {"offline": 0, "no writes": 1, "fewer copies": 2}
    before, after, load_notes = _loads(version, loss, live)
    return WhatIf(
        loss,
        "live placement" if placed else "declaration",
        tuple(sorted(topics, key=lambda found: (order[found.state], found.topic))),
        before,
        after,
        topology.cluster.disk,
        topology.cluster.limits.partitions_per_broker,
        (*notes, *load_notes),
    )


def _topic(version: Version, topic: Topic, loss: Loss, live: Live | None) -> Iterator[TopicLoss]:
    min_isr = version.number(topic, "min.insync.replicas") or 1
    found = live.topics.get(topic.name) if live is not None else None
    if found is not None:
        hit = [
            len(set(partition.in_sync).difference(loss.lost))
            for partition in found.partitions
            if set(partition.replicas).intersection(loss.lost)
        ]
    else:
        hit = _by_declaration(topic, loss)
    if not hit:
        return
    fewest = min(hit)
    state: State = "offline" if fewest == 0 else "no writes" if fewest < min_isr else "fewer copies"
    bar = {"offline": 1, "no writes": min_isr, "fewer copies": math.inf}[state]
    writers = version.index.clients.writers_of(topic.name)
    waits = [w for w in writers if state == "offline" or (w.acks is not None and w.acks.value in ("all", "-1"))]
    yield TopicLoss(
        topic.name,
        topic.owner,
        state,
        sum(1 for copies in hit if copies < bar),
        topic.partitions if found is None else len(found.partitions),
        fewest,
        min_isr,
        tuple(writer.name for writer in waits) if state != "fewer copies" else (),
        version.reader_names(topic.name) if state != "fewer copies" else (),
    )


def _by_declaration(topic: Topic, loss: Loss) -> list[int]:
    """Replicas left of each affected partition, if spread as Kafka does: evenly over racks, then brokers."""
    brokers, replicas = len(loss.brokers), min(topic.replication, len(loss.brokers))
    if len(loss.lost) == 1:
        hit = min(topic.partitions, math.ceil(topic.partitions * replicas / brokers))
        return [replicas - 1] * hit
    racks = {rack for rack in loss.brokers.values() if rack is not None}
    most = min(len(loss.lost), math.ceil(replicas / len(racks))) if racks else min(len(loss.lost), replicas)
    hit = topic.partitions if replicas >= len(racks) else math.ceil(topic.partitions * replicas / max(1, len(racks)))
    return [replicas - most] * hit


def _internal_topics(version: Version) -> Iterator[str]:
    """Notes on Kafka's own topics, without which groups and transactions stop."""
    offsets = version.settings.broker("offsets.topic.replication.factor")
    if offsets is not None and offsets.is_declared and (offsets.number or 1) <= 1:
        yield (
            f"offsets.topic.replication.factor is {offsets.value}: groups whose offsets are on a lost broker can"
            " neither commit nor join"
        )
    log = version.settings.broker("transaction.state.log.replication.factor")
    isr = version.settings.broker("transaction.state.log.min.isr")
    if log is not None and isr is not None and log.is_declared and (log.number or 1) - 1 < (isr.number or 1):
        yield (
            f"transaction.state.log.replication.factor is {log.value} with min.isr {isr.value}: transactions whose"
            " coordinator was on a lost broker stop"
        )


def _loads(version: Version, loss: Loss, live: Live | None) -> tuple[BrokerLoad, BrokerLoad, list[str]]:
    topics = version.topology.topics.values()
    versions = Versions(version.topology, version.topology, live)
    sizes = {topic.name: versions.size_now(topic) for topic in topics}
    unknown = [name for name, size in sizes.items() if size is None]

    def load(brokers: int) -> BrokerLoad:
        """The average over this number of brokers, with every replica that fits on them."""
        copies = {topic.name: min(topic.replication, brokers) for topic in topics}
        replicas = sum(topic.partitions * copies[topic.name] for topic in topics)
        disk = sum(size.count * copies[name] for name, size in sizes.items() if size is not None)
        return BrokerLoad(replicas / brokers, disk / brokers if len(unknown) < len(sizes) else None)

    notes = []
    if unknown:
        notes.append(f"disk does not count topics of unknown size: {listed(unknown, most=3)}")
    before = load(len(loss.brokers))
    if not loss.left:
        return before, BrokerLoad(0, None), [*notes, "no broker is left"]
    return before, load(len(loss.left)), notes
